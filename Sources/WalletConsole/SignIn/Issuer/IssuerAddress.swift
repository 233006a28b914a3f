import Foundation

/// Decides which addresses of an issuer are acceptable.
enum IssuerAddress {
    /// Returns whether an address has a host, no user and no fragment, and uses `https:` or an allowed `http:` loopback
    /// address.
    static func isAcceptable(_ address: String, allowsPlainLoopback: Bool) -> Bool {
        guard
            address.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }),
            let parts = URLComponents(string: address),
            let host = parts.host?.lowercased(), !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.fragment == nil
        else { return false }
        switch parts.scheme?.lowercased() {
        case "https": return true
        case "http": return allowsPlainLoopback && ["127.0.0.1", "localhost", "::1", "[::1]"].contains(host)
        default: return false
        }
    }

    /// Appends parameters to an address, which may already have a query.
    static func adding(_ parameters: [(name: String, value: String)], to address: String) -> String {
        address + (address.contains("?") ? "&" : "?") + self.form(parameters)
    }

    /// Encodes parameters as a form.
    static func form(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { "\($0.name)=\(WebAddress.escaped($0.value))" }.joined(separator: "&")
    }
}
