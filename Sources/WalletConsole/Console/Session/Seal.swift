import Crypto
import Foundation

/// Signs values that a browser stores.
///
/// The browser can read a value but not change it.
struct Seal: Sendable {
    private let key: SymmetricKey

    /// Derives a key for one purpose.
    ///
    /// - Parameters:
    ///   - secret: The console's secret, at least 32 bytes.
    ///   - purpose: The kind of value; a value sealed for another purpose fails the verification.
    init(secret: [UInt8], purpose: String) {
        self.key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret),
            info: Data(purpose.utf8),
            outputByteCount: 32
        )
    }

    /// Encodes a value with its signature.
    func seal(_ value: some Encodable) throws -> String {
        let data = try JSONEncoder().encode(value)
        return "\(Self.text(data)).\(Self.text(Data(self.code(of: data))))"
    }

    /// Verifies and decodes a value; returns nil if this seal did not sign it.
    func open<Value: Decodable>(_ text: String, as type: Value.Type = Value.self) -> Value? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard
            parts.count == 2, let data = Self.data(parts[0]), let code = Self.data(parts[1]),
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: data, using: self.key)
        else { return nil }
        return try? JSONDecoder().decode(type, from: data)
    }

    /// Returns the signature of a text, for example for a form's token.
    func signature(of text: String) -> String {
        Self.text(Data(self.code(of: Data(text.utf8))))
    }

    /// Returns whether a signature belongs to a text; the comparison takes constant time.
    func isSignature(_ signature: String, of text: String) -> Bool {
        guard let code = Self.data(signature[...]) else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: Data(text.utf8), using: self.key)
    }

    private func code(of data: Data) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: data, using: self.key)
    }

    private static func text(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func data(_ text: Substring) -> Data? {
        let plain = text.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.count % 4) % 4))
    }
}
