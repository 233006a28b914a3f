import CLibpq

/// The libpq parameters of a connection: the URL's parameters, and defaults for the others.
///
/// The defaults for keepalives and timeouts let the kernel detect a peer that has vanished.
struct ConnectionParameters {
    private(set) var values: [(keyword: String, value: String)]

    /// Parses the URL.
    ///
    /// - Throws: ``PostgresError`` with code `unavailable` if libpq cannot parse the URL; the message contains no
    ///   password.
    init(_ configuration: ConnectionConfiguration) throws(PostgresError) {
        self.values = try Self.parse(configuration.url)
        let connectSeconds = max(2, (configuration.connectTimeout.milliseconds + 999) / 1_000)
        self.setDefault("connect_timeout", String(connectSeconds))
        self.setDefault("keepalives_idle", "10")
        self.setDefault("keepalives_interval", "5")
        self.setDefault("keepalives_count", "3")
        self.setDefault("tcp_user_timeout", "15000")
        self.setDefault("fallback_application_name", configuration.applicationName)
        // Text is always UTF-8 in both directions; this overrides PGCLIENTENCODING.
        self.values.removeAll { $0.keyword == "client_encoding" }
        self.values.append(("client_encoding", "UTF8"))
    }

    private mutating func setDefault(_ keyword: String, _ value: String) {
        guard !self.values.contains(where: { $0.keyword == keyword }) else { return }
        self.values.append((keyword, value))
    }

    private static func parse(_ url: String) throws(PostgresError) -> [(keyword: String, value: String)] {
        guard let options = PQconninfoParse(url, nil) else {
            throw PostgresError(.unavailable, "libpq cannot parse the database URL")
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
