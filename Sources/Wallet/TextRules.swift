/// Checks the values of query parameters.
package enum ParameterText {
    /// Refuses a value with control characters.
    package static func checked(_ text: String, _ name: String) throws -> String {
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw WalletError.parameter(name, "must not contain control characters", Received(text))
        }
        return text
    }

    /// Refuses a missing value, and one that is too long to identify anything.
    package static func identifying(_ text: String?, _ name: String) throws -> String {
        guard let text else { throw WalletError.parameter(name, "is required") }
        guard (1...320).contains(text.unicodeScalars.count) else {
            throw WalletError.parameter(name, "must be 1 to 320 characters", Received(text))
        }
        return text
    }

    /// Refuses a text that no dry run returned.
    package static func preview(_ text: String) throws -> String {
        guard text.utf8.count == 64, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else {
            throw WalletError.parameter("preview", "must be the 64 hexadecimal digits of a dry run", Received(text))
        }
        return text
    }
}

/// Validates the ids of classes, and other ids with the same characters.
package enum ClassID {
    /// Returns whether an id is valid.
    package static func isValid(_ id: String, upTo length: Int = 64) -> Bool {
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
package enum TransactionID {
    /// Returns whether an id is valid.
    package static func isValid(_ id: String) -> Bool {
        (1...255).contains(id.utf8.count) && id.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

/// Checks the texts that operators may store: reasons, references, names and user ids.
package enum OperatorText {
    /// Refuses a text that is empty, blank or too long, or that contains control characters or bidirectional controls.
    package static func check(_ text: String, _ name: String, upTo length: Int) throws {
        guard (1...length).contains(text.unicodeScalars.count), Subject.isClean(text), Subject.isVisible(text) else {
            throw WalletError.member(name, "must be 1 to \(length) characters on one line", Received(text))
        }
    }
}

/// Checks the numbers that operators may store.
enum OperatorNumber {
    /// Refuses a number that is out of range; an absent one is permitted.
    static func check(_ number: (some BinaryInteger)?, _ name: String, _ range: ClosedRange<Int64>) throws {
        guard let number, !range.contains(Int64(clamping: number)) else { return }
        throw WalletError.member(name, "must be \(range.lowerBound) to \(range.upperBound)", Received(number))
    }
}

/// Checks whether a `sub` claim can identify a user.
package enum Subject {
    /// Returns whether a text has 1 to 255 characters, is visible and has no control characters; PostgreSQL cannot
    /// store NUL.
    package static func isAcceptable(_ subject: String) -> Bool {
        let length = subject.unicodeScalars.count
        return length >= 1 && length <= 255 && Self.isClean(subject) && Self.isVisible(subject)
    }

    /// Returns whether a text has no control characters, no line separators and no bidirectional controls, which
    /// display a text in a different order.
    package static func isClean(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: !scalar.properties.isBidiControl
            }
        }
    }

    /// Returns whether a text contains at least one visible character.
    package static func isVisible(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
                && scalar.properties.generalCategory != .format
        }
    }
}
