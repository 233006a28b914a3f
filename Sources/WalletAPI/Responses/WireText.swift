import Foundation
import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import Wallet

/// JSON that is written member by member; an interpolated value is written as JSON, and a text is quoted.
///
/// It serves the most frequent responses, for which `JSONEncoder` takes longer than all other work. The order of members
/// and the format of values are the same as those of ``WireJSON``.
struct WireText: ExpressibleByStringInterpolation {
    /// The JSON in UTF-8.
    let bytes: [UInt8]

    init(stringLiteral value: StaticString) {
        var written = StringInterpolation(literalCapacity: value.utf8CodeUnitCount, interpolationCount: 0)
        written.appendLiteral(value)
        self.bytes = written.bytes
    }

    init(stringInterpolation: StringInterpolation) {
        self.bytes = stringInterpolation.bytes
    }

    /// Encodes a value that is not written member by member.
    init(encoding value: some Encodable) throws {
        self.bytes = Array(try WireJSON.encoder.encode(value))
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var bytes: [UInt8] = []

        init(literalCapacity: Int, interpolationCount: Int) {
            self.bytes.reserveCapacity(literalCapacity + 24 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: StaticString) {
            self.bytes.append(
                contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
            )
        }

        mutating func appendInterpolation(_ json: WireText) {
            self.bytes += json.bytes
        }

        mutating func appendInterpolation(_ number: some BinaryInteger) {
            self.bytes += number.description.utf8
        }

        mutating func appendInterpolation(_ flag: Bool) {
            self.appendLiteral(flag ? "true" : "false")
        }

        mutating func appendInterpolation(_ id: UUID?) {
            guard let id else { return self.appendLiteral("null") }
            self.append(plain: id.wireText)
        }

        mutating func appendInterpolation(_ instant: Date?) {
            guard let instant else { return self.appendLiteral("null") }
            self.append(plain: WireJSON.text(instant))
        }

        mutating func appendInterpolation(_ text: String?) {
            guard let text else { return self.appendLiteral("null") }
            self.bytes.append(quoted: text)
        }

        /// Writes a list.
        mutating func appendInterpolation<Element>(list: [Element], _ json: (Element) -> WireText) {
            self.appendLiteral("[")
            for (place, element) in list.enumerated() {
                if place > 0 { self.appendLiteral(",") }
                self.appendInterpolation(json(element))
            }
            self.appendLiteral("]")
        }

        private mutating func append(plain text: String) {
            self.bytes.append(UInt8(ascii: "\""))
            self.bytes += text.utf8
            self.bytes.append(UInt8(ascii: "\""))
        }
    }
}

/// A response with JSON that is written member by member.
struct WireAnswer: ResponseGenerator {
    let json: WireText
    var status: HTTPResponse.Status = .ok
    var headers: HTTPFields = [:]

    func response(from request: Request, context: some RequestContext) -> Response {
        Response(json: ByteBuffer(bytes: self.json.bytes), status: self.status, headers: self.headers)
    }
}
