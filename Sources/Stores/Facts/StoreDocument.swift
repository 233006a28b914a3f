import Foundation

/// A JSON value of a store.
///
/// The accessors read members by their expected type. A member that is absent, null or empty text is unknown. A present
/// member of another type is an error: an invalid refund date must not be read as "no refund".
enum StoreDocument: Decodable, Hashable, Sendable {
    case null
    case flag(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case list([StoreDocument])
    case object([String: StoreDocument])

    /// Decodes any JSON value.
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: `DecodingError` for a number that neither `Int64` nor `Double` can represent.
    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? value.decode(Int64.self) {
            self = .integer(number)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let list = try? value.decode([StoreDocument].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: StoreDocument].self))
        }
    }

    /// Parses a message or an answer, which must be a JSON object.
    /// - Parameter data: The received bytes.
    /// - Throws: ``StoreError`` `unreadable` if the data is not a JSON object or is nested too deeply.
    init(parsing data: Data) throws(StoreError) {
        guard !JSONDepth.isExceeded(by: data) else { throw StoreError(.unreadable) }
        guard let document = try? JSONDecoder().decode(Self.self, from: data), case .object = document else {
            throw StoreError(.unreadable)
        }
        self = document
    }

    /// The member's value; nil if it is absent or null, or if this value is not an object.
    subscript(key: String) -> StoreDocument? {
        guard case .object(let members) = self, let value = members[key], value != .null else { return nil }
        return value
    }

    /// Returns text without control characters and of at most this many bytes.
    func text(_ key: String, atMost bytes: Int = 255) throws(StoreError) -> String? {
        switch self[key] {
        case nil, .text(""): return nil
        case .text(let text): return try text.checked(atMost: bytes)
        default: throw StoreError(.unreadable)
        }
    }

    /// Returns an id: text, or the digits of an integer.
    func identifier(_ key: String) throws(StoreError) -> String? {
        if case .integer(let number) = self[key] { return String(number) }
        return try self.text(key)
    }

    func flag(_ key: String) throws(StoreError) -> Bool? {
        switch self[key] {
        case nil: return nil
        case .flag(let flag): return flag
        default: throw StoreError(.unreadable)
        }
    }

    /// Returns an integer, which may be written in quotes or with a zero fraction.
    func integer(_ key: String) throws(StoreError) -> Int64? {
        guard let number = try self.number(key) else { return nil }
        guard let whole = Int64(exactly: number) else { throw StoreError(.unreadable) }
        return whole
    }

    /// Returns an instant from milliseconds since 1970, up to the year 9999; nil for 0.
    func milliseconds(_ key: String) throws(StoreError) -> Date? {
        guard let number = try self.number(key), number != 0 else { return nil }
        guard (1..<253_402_300_800_000).contains(number) else { throw StoreError(.unreadable) }
        return Date(millisecondsSince1970: Int64(number))
    }

    /// Returns an instant from RFC 3339 text, whose fraction may have any number of digits.
    func instant(_ key: String) throws(StoreError) -> Date? {
        guard let text = try self.text(key) else { return nil }
        guard let instant = Date(storeInstant: text) else { throw StoreError(.unreadable) }
        return instant
    }

    func object(_ key: String) throws(StoreError) -> StoreDocument? {
        switch self[key] {
        case nil: return nil
        case .object(let members): return .object(members)
        default: throw StoreError(.unreadable)
        }
    }

    func list(_ key: String) throws(StoreError) -> [StoreDocument]? {
        switch self[key] {
        case nil: return nil
        case .list(let elements): return elements
        default: throw StoreError(.unreadable)
        }
    }

    /// Returns a list of texts without the empty ones.
    func texts(_ key: String, atMost bytes: Int) throws(StoreError) -> [String] {
        var texts: [String] = []
        for element in try self.list(key) ?? [] {
            guard case .text(let text) = element else { throw StoreError(.unreadable) }
            if !text.isEmpty { texts.append(try text.checked(atMost: bytes)) }
        }
        return texts
    }

    // A Double represents every integer that a store sends exactly: they are all below 2^53.
    private func number(_ key: String) throws(StoreError) -> Double? {
        switch self[key] {
        case nil, .text(""): return nil
        case .integer(let number): return Double(number)
        case .number(let number): return number
        case .text(let text):
            guard text.utf8.count <= 20, let number = Int64(text) else { throw StoreError(.unreadable) }
            return Double(number)
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
