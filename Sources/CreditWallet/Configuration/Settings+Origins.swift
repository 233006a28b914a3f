import Foundation

extension Settings {
    /// Returns the origins of web pages; empty if the key is not set.
    ///
    /// A single `*` allows all origins.
    ///
    /// A browser sends an origin as scheme, host and port only, so any other form would never match.
    func origins(_ key: ConfigurationKey) throws(CommandError) -> [String] {
        guard try self.string(key) != nil else { return [] }
        let origins = try self.list(key)
        if origins == ["*"] { return origins }
        for origin in origins {
            guard let url = URL(string: origin), let host = url.host(percentEncoded: false), !host.isEmpty,
                let scheme = url.scheme, ["http", "https"].contains(scheme),
                origin == "\(scheme)://\(host)\(url.port.map { ":\($0)" } ?? "")", origin == origin.lowercased()
            else {
                throw CommandError(
                    .configuration,
                    "\(key.name) must contain origins without a path, such as https://app.example, separated by "
                        + "commas, or * for all."
                )
            }
        }
        return origins
    }
}
