import CLibpq

/// The keywords a connection is opened with: the URL's, and defaults for what it leaves open.
///
/// The defaults are those a service cannot do without: a peer that vanished must be noticed by the kernel.
struct ConnectionParameters {
    private(set) var values: [(keyword: String, value: String)]

    /// Parses the URL.
    ///
    /// - Throws: ``PostgresError`` with code `unavailable` when libpq cannot read it; the text names no password.
    init(_ configuration: ConnectionConfiguration) throws(PostgresError) {
        self.values = try Self.parse(configuration.url)
        let connectSeconds = max(2, (configuration.connectTimeout.milliseconds + 999) / 1_000)
        self.setDefault("connect_timeout", String(connectSeconds))
        self.setDefault("keepalives_idle", "10")
        self.setDefault("keepalives_interval", "5")
        self.setDefault("keepalives_count", "3")
        self.setDefault("tcp_user_timeout", "15000")
        self.setDefault("fallback_application_name", configuration.applicationName)
        // Text travels as UTF-8 in both directions, whatever PGCLIENTENCODING says.
        self.values.removeAll { $0.keyword == "client_encoding" }
        self.values.append(("client_encoding", "UTF8"))
    }

    private mutating func setDefault(_ keyword: String, _ value: String) {
        guard !self.values.contains(where: { $0.keyword == keyword }) else { return }
        self.values.append((keyword, value))
    }

    private static func parse(_ url: String) throws(PostgresError) -> [(keyword: String, value: String)] {
        guard let options = PQconninfoParse(url, nil) else {
            throw PostgresError(.unavailable, "the database URL is not one that libpq understands")
        }
        defer { PQconninfoFree(options) }
        var values: [(keyword: String, value: String)] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                values.append((String(cString: keyword), String(cString: value)))
            }
            option += 1
        }
        return values
    }
}
