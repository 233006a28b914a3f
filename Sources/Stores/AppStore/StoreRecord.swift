import Foundation

/// A flat JSON object of a store, whose values may be text, numbers or flags.
///
/// A member that is absent, null or empty text is unknown. A present member that cannot be read is an error: an invalid
/// cancellation date must not be read as "not cancelled".
struct StoreRecord: Decodable, Sendable {
    /// A member is present but has an unexpected form.
    struct Unreadable: Error {}

    private enum Value: Decodable {
        case text(String)
        case integer(Int64)
        case flag(Bool)
        case other

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let text = try? value.decode(String.self) {
                self = .text(text)
            } else if let flag = try? value.decode(Bool.self) {
                self = .flag(flag)
            } else if let number = try? value.decode(Int64.self) {
                self = .integer(number)
            } else {
                self = .other
            }
        }
    }

    private var members: [String: Value]

    init(from decoder: any Decoder) throws {
        self.members = try [String: Value?](from: decoder).compactMapValues { $0 }
    }

    /// Returns this record with the members of another record, which take precedence.
    func overlaid(with other: StoreRecord) -> StoreRecord {
        var result = self
        result.members.merge(other.members) { _, newer in newer }
        return result
    }

    /// Returns text without control characters and of at most 255 bytes; an integer is returned as its digits.
    func text(_ key: String) throws(Unreadable) -> String? {
        switch self.members[key] {
        case nil, .text(""): return nil
        case .text(let text):
            guard text.utf8.count <= 255, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw Unreadable() }
            return text
        case .integer(let number): return String(number)
        case .flag, .other: throw Unreadable()
        }
    }

    func integer(_ key: String) throws(Unreadable) -> Int? {
        guard let text = try self.text(key) else { return nil }
        guard let number = Int(text) else { throw Unreadable() }
        return number
    }

    /// Returns a flag that is written as true or false, or as 1 or 0, with or without quotes.
    func flag(_ key: String) throws(Unreadable) -> Bool? {
        if case .flag(let flag) = self.members[key] { return flag }
        switch try self.text(key)?.lowercased() {
        case nil: return nil
        case "1", "true": return true
        case "0", "false": return false
        default: throw Unreadable()
        }
    }

    /// Returns an instant that the store writes twice: in milliseconds under the key with `_ms`, and as text under the
    /// key itself.
    ///
    /// If the milliseconds are missing, the text is read: `2026-11-22 10:00:00 Etc/GMT`. Old-style receipts have
    /// milliseconds under the key itself.
    func datedInstant(_ key: String) throws(Unreadable) -> Date? {
        if let instant = try self.instant("\(key)_ms") { return instant }
        guard let text = try self.text(key) else { return nil }
        if text.utf8.allSatisfy({ (48...57).contains($0) }) { return try self.instant(key) }
        let words = text.split(separator: " ")
        guard
            words.count == 3, ["Etc/GMT", "GMT", "UTC"].contains(words[2]),
            let instant = Date(storeInstant: "\(words[0])T\(words[1])Z")
        else { throw Unreadable() }
        return instant
    }

    /// Returns an instant from milliseconds since 1970, up to the year 9999.
    func instant(_ key: String) throws(Unreadable) -> Date? {
        guard let text = try self.text(key) else { return nil }
        guard let milliseconds = Int64(text), (1..<253_402_300_800_000).contains(milliseconds) else {
            throw Unreadable()
        }
        return Date(millisecondsSince1970: milliseconds)
    }
}
