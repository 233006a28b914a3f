import Crypto
import Foundation

/// Makes texts that nobody can guess, and compares them.
enum RandomText {
    /// How long each is: 256 bits, which is also a code verifier of the length that PKCE wants.
    static let length = 43

    /// Makes one of 256 random bits.
    static func make() -> String {
        Base64URL.text(SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) })
    }

    /// Returns whether two texts have the same bytes; takes as long whether they have or not.
    ///
    /// A `String` is also the same as one that merely looks the same, which is no way to compare what names somebody.
    static func isSame(_ left: String, _ right: String) -> Bool {
        SHA256.hash(data: Data(left.utf8)) == SHA256.hash(data: Data(right.utf8))
    }
}
