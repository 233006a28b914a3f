import Crypto
import Foundation

/// A secret that anyone who asks a store has to show.
enum SharedSecret {
    /// Compares digests, so that the time taken does not depend on how much of the secret was right.
    static func isSame(_ given: String, as right: String) -> Bool {
        SHA256.hash(data: Data(given.utf8)) == SHA256.hash(data: Data(right.utf8))
    }
}
