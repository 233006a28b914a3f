import Foundation

/// A JSON value of a store, of whatever shape.
///
/// Its readers take objects' members by what they should be. A member that is absent, null or empty text is unknown. One
/// that is there but is something else is an error: a refund's date that makes no sense must not pass for "no refund".
enum StoreDocument: Decodable, Hashable, Sendable {
    case null
    case flag(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case list([StoreDocument])
    case object([String: StoreDocument])

    /// Decodes any JSON value.
    /// - Parameter decoder: the decoder to read from.
    /// - Throws: `DecodingError` for a number that no Swift number holds.
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

    /// Parses a message or an answer, which must be an object.
    /// - Parameter data: the bytes as they came.
    /// - Throws: ``StoreError`` `unreadable` for anything but a JSON object, and for one nested more deeply than any store's.
    init(parsing data: Data) throws(StoreError) {
        guard !JSONDepth.isExceeded(by: data) else { throw StoreError(.unreadable) }
        guard let document = try? JSONDecoder().decode(Self.self, from: data), case .object = document else {
            throw StoreError(.unreadable)
        }
        self = document
    }

    /// The member's value, nil where it is absent or null, or where this is no object.
    subscript(key: String) -> StoreDocument? {
        guard case .object(let members) = self, let value = members[key], value != .null else { return nil }
        return value
    }
}
