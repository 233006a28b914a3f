import Foundation
import Hummingbird
import JSON
import NIOCore

extension JSONValue {
    /// The same object without null members, since Google omits members without a value.
    var withoutNulls: JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.value != .null }.mapValues(\.withoutNulls))
    }

    /// Returns text, or null for nil.
    static func optional(_ text: String?) -> JSONValue {
        text.map { .text($0) } ?? .null
    }

    /// Returns an amount with the digits of its shortest form, since `Decimal(9.99)` is not 9.99.
    static func decimal(_ amount: Double) -> JSONValue {
        Decimal(string: "\(amount)").map { .number($0) } ?? .null
    }

    /// Returns an instant as milliseconds since 1970, or null for nil.
    static func milliseconds(_ instant: Date?) -> JSONValue {
        instant.map { .integer($0.wholeMilliseconds) } ?? .null
    }

    /// Returns an instant as milliseconds since 1970 in text, since Google writes 64-bit numbers as text.
    static func millisecondsText(_ instant: Date?) -> JSONValue {
        instant.map { .text(String($0.wholeMilliseconds)) } ?? .null
    }

    /// Returns an instant as RFC 3339 with whole seconds.
    static func seconds(_ instant: Date?) -> JSONValue {
        instant.map { .text($0.formatted(.iso8601)) } ?? .null
    }

    /// Returns an instant as RFC 3339 with milliseconds.
    ///
    /// The format truncates, and a binary fraction may be slightly below its millisecond, so a tenth of a millisecond
    /// is added.
    static func instant(_ instant: Date?) -> JSONValue {
        instant.map { .text(($0 + 0.000_1).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))) }
            ?? .null
    }
}

extension Date {
    var wholeMilliseconds: Int64 { Int64((self.timeIntervalSince1970 * 1_000).rounded()) }
}

extension Response {
    /// Returns a JSON response.
    static func json(_ body: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json; charset=UTF-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body.jsonData))
        )
    }

    /// Returns an answer of the App Store; the HTTP status of the verification endpoint is always 200.
    static func apple(_ body: JSONValue) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json;charset=UTF-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: body.jsonData))
        )
    }
}
