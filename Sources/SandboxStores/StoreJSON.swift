import Foundation
import Hummingbird
import NIOCore

/// JSON in the format of RevenueCat and Google.
enum StoreJSON: Encodable, Sendable, Equatable {
    case null
    case text(String)
    case number(Int64)
    case decimal(Double)
    case flag(Bool)
    case list([StoreJSON])
    case object([String: StoreJSON])

    /// The bytes to send; the same value always has the same bytes, so that a redelivery repeats them.
    var bytes: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .text(let text): try value.encode(text)
        case .number(let number): try value.encode(number)
        case .decimal(let decimal): try value.encode(decimal)
        case .flag(let flag): try value.encode(flag)
        case .list(let list): try value.encode(list)
        case .object(let members): try value.encode(members)
        }
    }

    /// The same object without null members, since Google omits members without a value.
    var withoutNulls: StoreJSON {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.value != .null }.mapValues(\.withoutNulls))
    }
}

extension StoreJSON {
    /// Returns text, or null for nil.
    static func optional(_ text: String?) -> StoreJSON {
        text.map { .text($0) } ?? .null
    }

    /// Returns an instant as milliseconds since 1970, or null for nil.
    static func milliseconds(_ instant: Date?) -> StoreJSON {
        instant.map { .number($0.wholeMilliseconds) } ?? .null
    }

    /// Returns an instant as milliseconds since 1970 in text, since Google writes 64-bit numbers as text.
    static func millisecondsText(_ instant: Date?) -> StoreJSON {
        instant.map { .text(String($0.wholeMilliseconds)) } ?? .null
    }

    /// Returns an instant as RFC 3339 with whole seconds.
    static func seconds(_ instant: Date?) -> StoreJSON {
        instant.map { .text($0.formatted(.iso8601)) } ?? .null
    }

    /// Returns an instant as RFC 3339 with milliseconds.
    ///
    /// The format truncates, and a binary fraction may be slightly below its millisecond, so a tenth of a millisecond
    /// is added.
    static func instant(_ instant: Date?) -> StoreJSON {
        instant.map { .text(($0 + 0.000_1).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))) }
            ?? .null
    }
}

extension StoreJSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int64) { self = .number(value) }
    init(booleanLiteral value: Bool) { self = .flag(value) }
}

extension StoreJSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    init(dictionaryLiteral elements: (String, StoreJSON)...) {
        self = .object(Dictionary(elements) { $1 })
    }

    init(arrayLiteral elements: StoreJSON...) { self = .list(elements) }
}

extension Date {
    var wholeMilliseconds: Int64 { Int64((self.timeIntervalSince1970 * 1_000).rounded()) }
}

extension Response {
    /// Returns a JSON response.
    static func json(_ body: StoreJSON, status: HTTPResponse.Status = .ok) throws -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json; charset=UTF-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try body.bytes))
        )
    }
}
