import Foundation

/// Base64url as in JOSE and PKCE: safe in addresses, without padding.
enum Base64URL {
    /// Encodes bytes.
    static func text(_ data: some DataProtocol) -> String {
        Data(data).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Decodes bytes; returns nil for padding, white space and other characters outside the alphabet.
    static func data(_ text: Substring) -> Data? {
        guard !text.utf8.contains(where: { "+/=".utf8.contains($0) }) else { return nil }
        let plain = text.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4))
    }
}
