import Foundation

/// A flat JSON object of a store, whose values come as text, numbers or flags without much system.
///
/// A member that is absent, null or empty text is unknown. One that is there but cannot be read is an error: a
/// cancellation date that makes no sense must not pass for "not cancelled".
struct StoreRecord: Decodable, Sendable {
    /// A member is there but cannot be read as what it should be.
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

    /// This record with what the other one adds or says differently.
    func overlaid(with other: StoreRecord) -> StoreRecord {
        var result = self
        result.members.merge(other.members) { _, newer in newer }
        return result
    }

    /// Text without control characters, 255 bytes at most; whole numbers come as their digits.
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

    /// A flag written as true and false, 1 and 0, or either in quotes.
    func flag(_ key: String) throws(Unreadable) -> Bool? {
        if case .flag(let flag) = self.members[key] { return flag }
        switch try self.text(key)?.lowercased() {
        case nil: return nil
        case "1", "true": return true
        case "0", "false": return false
        default: throw Unreadable()
        }
    }

    /// An instant that is named twice: in milliseconds under the key with `_ms`, and in words under the key itself.
    ///
    /// The words are read where the milliseconds are missing: `2026-11-22 10:00:00 Etc/GMT`. Old-style receipts have the
    /// milliseconds in their place.
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

    /// An instant in milliseconds since 1970, from then to the year 9999.
    func instant(_ key: String) throws(Unreadable) -> Date? {
        guard let text = try self.text(key) else { return nil }
        guard let milliseconds = Int64(text), (1..<253_402_300_800_000).contains(milliseconds) else {
            throw Unreadable()
        }
        return Date(millisecondsSince1970: milliseconds)
    }
}
