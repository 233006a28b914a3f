import Crypto
import Foundation

/// A secret that callers of a store must present.
enum SharedSecret {
    /// Compares digests, so that the comparison time does not reveal a partial match.
    static func isSame(_ given: String, as right: String) -> Bool {
        SHA256.hash(data: Data(given.utf8)) == SHA256.hash(data: Data(right.utf8))
    }
}
