import Foundation
import Hummingbird

extension Parameters {
    /// Returns the booking's id; throws `booking-not-found` if it is not a UUID.
    func bookingID() throws -> UUID {
        guard let text = self.decoded("id"), let id = UUID(uuidString: text) else {
            throw Problem.notFound("booking-not-found", "The user has no booking with this id.")
        }
        return id
    }

    /// Returns the class's id: 1 to 64 letters, digits, dots, underscores, colons and dashes.
    ///
    /// - Returns: The id; nil for a text that cannot be a class's id.
    func classID() -> String? {
        guard let id = self.decoded("id"), ClassID.isValid(id) else { return nil }
        return id
    }

    /// Returns the class's id; throws `class-not-found` for a text that cannot be a class's id.
    func knownClassID() throws -> String {
        guard let id = self.classID() else { throw Problem.notFound("class-not-found", "No class has this id.") }
        return id
    }

    /// Returns the product's id: 1 to 128 letters, digits, dots, underscores, colons and dashes.
    func productID() throws -> String {
        guard let id = self.decoded("id"), ClassID.isValid(id, upTo: 128) else {
            throw Problem.malformed(
                "A product's id must be 1 to 128 of A-Z a-z 0-9 . _ : -; received "
                    + "\(Received(self.decoded("id") ?? self.get("id") ?? ""))."
            )
        }
        return id
    }

    /// Returns the store's transaction id.
    func transactionID() throws -> String {
        guard let id = self.decoded("transaction_id"), TransactionID.isValid(id) else {
            throw Problem.notFound("purchase-not-found", "The user has no purchase with this transaction id.")
        }
        return id
    }

    private func decoded(_ name: String) -> String? {
        self.get(name)?.removingPercentEncoding
    }
}

/// Validates the ids of classes, and other ids with the same characters.
enum ClassID {
    static func isValid(_ id: String, upTo length: Int = 64) -> Bool {
        (1...length).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

/// Validates store transaction ids: Apple's are digits, Google's contain dots and dashes.
enum TransactionID {
    static func isValid(_ id: String) -> Bool {
        (1...255).contains(id.utf8.count) && id.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
