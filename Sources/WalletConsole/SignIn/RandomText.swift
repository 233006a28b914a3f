import Crypto
import Foundation

/// Creates unpredictable texts and compares texts in constant time.
enum RandomText {
    /// The length of each text: 256 bits, which is also a valid length for a PKCE code verifier.
    static let length = 43

    /// Returns a text of 256 random bits.
    static func make() -> String {
        Base64URL.text(SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) })
    }

    /// Returns whether two texts have the same bytes; the comparison takes constant time.
    ///
    /// The operator `==` of `String` also treats canonically equivalent texts as equal, which is not acceptable for
    /// identifiers.
    static func isSame(_ left: String, _ right: String) -> Bool {
        SHA256.hash(data: Data(left.utf8)) == SHA256.hash(data: Data(right.utf8))
    }
}
