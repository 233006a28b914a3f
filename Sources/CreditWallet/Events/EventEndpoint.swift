import Foundation

/// Where events go, and with which secrets they are signed.
struct EventEndpoint: Sendable {
    let url: String
    /// The secrets' bytes; each signs, so that a receiver can change its own at leisure.
    let secrets: [Data]

    /// Reads an endpoint.
    ///
    /// - Parameters:
    ///   - url: An https address; http is accepted on this machine only.
    ///   - secrets: One or more of `whsec_` and base64, separated by spaces.
    /// - Throws: ``CommandError`` for another address, or a secret that is none or too short.
    init(url: String, secrets: String) throws(CommandError) {
        guard let parts = URL(string: url), let host = parts.host(), !host.isEmpty,
            parts.scheme == "https" || parts.scheme == "http" && ["127.0.0.1", "localhost", "::1"].contains(host)
        else {
            throw CommandError(.configuration, "\(ConfigurationKey.eventsURL.name) is not an https address.")
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
