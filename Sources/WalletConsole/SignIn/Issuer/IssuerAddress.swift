import Foundation

/// Decides which addresses of an issuer are used.
enum IssuerAddress {
    /// Returns whether an address is `https:` (or `http:` on this machine, where that is allowed), names a host, and
    /// holds neither a user nor a fragment.
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

    /// Writes parameters behind an address, which may have a query of its own.
    static func adding(_ parameters: [(name: String, value: String)], to address: String) -> String {
        address + (address.contains("?") ? "&" : "?") + self.form(parameters)
    }

    /// Writes parameters as a form is sent.
    static func form(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { "\($0.name)=\(WebAddress.escaped($0.value))" }.joined(separator: "&")
    }
}
