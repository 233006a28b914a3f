import Foundation

extension StoreDocument {
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
    fileprivate func checked(atMost bytes: Int) throws(StoreError) -> String {
        guard self.utf8.count <= bytes, self.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw StoreError(.unreadable)
        }
        return self
    }
}
