extension PostgresError.Code {
    /// Maps a SQLSTATE to a code; no other code does this.
    init(sqlState: String) {
        switch sqlState {
        case _ where Self.httpStatus(ofRefusal: sqlState) != nil: self = .refused
        case "23505", "23503", "23P01": self = .conflict
        case "23514", "23502": self = .invalid
        case "40001", "40P01": self = .serialization
        case "55P03": self = .lockTimeout
        case "57014": self = .cancelled
        // 57P01-03: stopping, crashed or starting; 57P05 and 25P03: the server closed an idle session;
        // 25006: this server has become a standby.
        case "57P01", "57P02", "57P03", "57P05", "25P03", "25006": self = .unavailable
        default: self = Self(sqlStateClass: sqlState.prefix(2))
        }
    }

    private init(sqlStateClass: Substring) {
        switch sqlStateClass {
        case "08", "53": self = .unavailable
        case "22": self = .invalid
        default: self = .internal
        }
    }

    /// The HTTP status in a SQLSTATE of the form `WLnnn`.
    static func httpStatus(ofRefusal sqlState: String) -> Int? {
        guard sqlState.utf8.count == 5, sqlState.hasPrefix("WL"), let status = Int(sqlState.dropFirst(2)) else {
            return nil
        }
        return (400...599).contains(status) ? status : nil
    }
}
