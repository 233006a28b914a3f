import Foundation
import JSON

/// A JSON value of a store.
///
/// The accessors read members by their expected type. A member that is absent, null or empty text is unknown. A present
/// member of another type is an error: an invalid refund date must not be read as "no refund".
struct StoreDocument: Hashable, Sendable {
    /// The value, which may be of any kind.
    let value: JSONValue

    private init(_ value: JSONValue) {
        self.value = value
    }

    /// Parses a message or an answer, which must be a JSON object.
    /// - Parameter data: The received bytes.
    /// - Throws: ``StoreError`` `unreadable` if the data is not a JSON object or is nested too deeply.
    init(parsing data: Data) throws(StoreError) {
        guard let value = try? JSONDecoder().decode(JSONValue.self, external: data), case .object = value else {
            throw StoreError(.unreadable)
        }
        self.value = value
    }

    /// The member's value; nil if it is absent or null, or if this value is not an object.
    subscript(key: String) -> StoreDocument? {
        guard let value = self.value[key], value != .null else { return nil }
        return StoreDocument(value)
    }

    /// The elements of a list; nil for another value.
    var elements: [StoreDocument]? {
        if case .array(let elements) = self.value { elements.map(Self.init) } else { nil }
    }

    /// The members of an object sorted by name; empty for another value.
    var sortedMembers: [(String, StoreDocument)] {
        (self.value.members ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, StoreDocument($0.value)) }
    }

    /// Returns text without control characters and of at most this many bytes.
    func text(_ key: String, atMost bytes: Int = 255) throws(StoreError) -> String? {
        switch self[key]?.value {
        case nil, .text(""): return nil
        case .text(let text): return try text.checked(atMost: bytes)
        default: throw StoreError(.unreadable)
        }
    }

    /// Returns an id: text, or the digits of an integer.
    func identifier(_ key: String) throws(StoreError) -> String? {
        if case .number = self[key]?.value { return try self.integer(key).map(String.init) }
        return try self.text(key)
    }

    func flag(_ key: String) throws(StoreError) -> Bool? {
        switch self[key]?.value {
        case nil: return nil
        case .bool(let flag): return flag
        default: throw StoreError(.unreadable)
        }
    }

    /// Returns an integer, which may be written in quotes or with a zero fraction.
    func integer(_ key: String) throws(StoreError) -> Int64? {
        guard let number = try self.number(key) else { return nil }
        guard let whole = Int64(number.description) else { throw StoreError(.unreadable) }
        return whole
    }

    /// Returns an instant from milliseconds since 1970, up to the year 9999; nil for 0.
    func milliseconds(_ key: String) throws(StoreError) -> Date? {
        guard let number = try self.number(key), number != 0 else { return nil }
        guard (1..<253_402_300_800_000).contains(number) else { throw StoreError(.unreadable) }
        return Date(millisecondsSince1970: Int64(NSDecimalNumber(decimal: number).doubleValue))
    }

    /// Returns an instant from RFC 3339 text, whose fraction may have any number of digits.
    func instant(_ key: String) throws(StoreError) -> Date? {
        guard let text = try self.text(key) else { return nil }
        guard let instant = Date(storeInstant: text) else { throw StoreError(.unreadable) }
        return instant
    }

    func object(_ key: String) throws(StoreError) -> StoreDocument? {
        guard let member = self[key] else { return nil }
        guard case .object = member.value else { throw StoreError(.unreadable) }
        return member
    }

    func list(_ key: String, atMost count: Int = .max) throws(StoreError) -> [StoreDocument]? {
        guard let elements = try self[key]?.elements.orUnreadable() else { return nil }
        guard elements.count <= count else { throw StoreError(.unreadable) }
        return elements
    }

    /// Returns a list of texts without the empty ones.
    func texts(_ key: String, atMost bytes: Int) throws(StoreError) -> [String] {
        var texts: [String] = []
        for element in try self.list(key) ?? [] {
            let text = try element.value.text.orUnreadable()
            if !text.isEmpty { texts.append(try text.checked(atMost: bytes)) }
        }
        return texts
    }

    private func number(_ key: String) throws(StoreError) -> Decimal? {
        switch self[key]?.value {
        case nil, .text(""): return nil
        case .number(let number): return number
        case .text(let text):
            guard text.utf8.count <= 20, let number = Int64(text) else { throw StoreError(.unreadable) }
            return Decimal(number)
        default: throw StoreError(.unreadable)
        }
    }
}

extension String {
    /// Returns the text; throws `unreadable` for control characters and for more than this many bytes.
    func checked(atMost bytes: Int) throws(StoreError) -> String {
        guard self.utf8.count <= bytes, self.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw StoreError(.unreadable)
        }
        return self
    }
}

extension Optional {
    /// Returns the value; throws `unreadable` for nil.
    func orUnreadable() throws(StoreError) -> Wrapped {
        guard let self else { throw StoreError(.unreadable) }
        return self
    }
}
