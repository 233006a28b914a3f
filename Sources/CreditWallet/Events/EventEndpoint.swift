import Foundation

/// The endpoint of events, and the secrets that sign them.
struct EventEndpoint: Sendable {
    let url: String
    /// The secrets; each signs every event, so that the receiver can change its secret at any time.
    let secrets: [Data]

    /// Validates an endpoint.
    ///
    /// - Parameters:
    ///   - url: An https address, or an http address on the loopback host.
    ///   - secrets: One or more secrets of the form `whsec_` and base64, separated by spaces.
    /// - Throws: ``CommandError`` for another address, or a secret that is malformed or too short.
    init(url: String, secrets: String) throws(CommandError) {
        guard let parts = URL(string: url), let host = parts.host(), !host.isEmpty,
            parts.scheme == "https" || parts.scheme == "http" && ["127.0.0.1", "localhost", "::1"].contains(host)
        else {
            throw CommandError(.configuration, "\(ConfigurationKey.eventsURL.name) must be an https address.")
        }
        self.url = url
        var keys: [Data] = []
        for secret in secrets.split(separator: " ") {
            let text = secret.hasPrefix("whsec_") ? String(secret.dropFirst("whsec_".count)) : ""
            guard let key = Data(base64Encoded: text), key.count >= 24 else {
                throw CommandError(
                    .configuration,
                    "\(ConfigurationKey.eventsSecret.name) must be whsec_ and at least 24 bytes in base64."
                )
            }
            keys.append(key)
        }
        self.secrets = keys
    }
}
