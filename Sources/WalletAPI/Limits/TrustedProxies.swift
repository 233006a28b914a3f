import Stores

/// The proxies that are believed about whom they forward a request for.
struct TrustedProxies: Sendable {
    let networks: [InternetNetwork]

    /// Finds the client of a request.
    ///
    /// `X-Forwarded-For` is read from its end, where the proxy that is nearest wrote: each entry counts only if the one
    /// who wrote it is trusted, so what a client puts there itself never does.
    ///
    /// - Parameters:
    ///   - peer: The other side of the connection; nil where it has no address.
    ///   - fields: The values of `X-Forwarded-For`, in order.
    /// - Returns: The client's address, for IPv6 its /64; nil where nothing is known.
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

    /// An address by itself, or followed by a port as some proxies write it.
    private static func address(in entry: Substring) -> InternetAddress? {
        let text = entry.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        if text.hasPrefix("[") { return InternetAddress(String(text.dropFirst().prefix { $0 != "]" })) }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return InternetAddress(String(parts.count == 2 ? parts[0] : text))
    }
}
