import Stores

/// The proxies whose `X-Forwarded-For` entries are trusted.
struct TrustedProxies: Sendable {
    let networks: [InternetNetwork]

    /// Returns the client's address of a request.
    ///
    /// The function reads `X-Forwarded-For` from its end, where the nearest proxy wrote. It uses an entry only if a
    /// trusted proxy wrote it, so entries that the client sent are ignored.
    ///
    /// - Parameters:
    ///   - peer: The other side of the connection; nil if it has no address.
    ///   - fields: The values of `X-Forwarded-For`, in order.
    /// - Returns: The client's address, for IPv6 its /64 network; nil if the connection has no address.
    func client(behind peer: InternetAddress?, forwardedFor fields: [String]) -> InternetAddress? {
        guard var client = peer else { return nil }
        var entries = fields.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        while self.isTrusted(client), let entry = entries.popLast(), let address = Self.address(in: entry) {
            client = address
        }
        return client.client
    }

    func isTrusted(_ address: InternetAddress) -> Bool {
        self.networks.contains { $0.contains(address) }
    }

    /// Parses an address, with or without the port that some proxies append.
    private static func address(in entry: Substring) -> InternetAddress? {
        let text = entry.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        if text.hasPrefix("[") { return InternetAddress(String(text.dropFirst().prefix { $0 != "]" })) }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return InternetAddress(String(parts.count == 2 ? parts[0] : text))
    }
}
