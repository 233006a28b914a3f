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
}
