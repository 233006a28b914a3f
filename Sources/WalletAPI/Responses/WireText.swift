import Foundation
import Wallet

/// JSON that is written member by member; an interpolated value is written as JSON, and a text is quoted.
///
/// It serves the most frequent responses, for which `JSONEncoder` takes longer than all other work. Members, order and
/// format are the same as those of ``WireJSON``.
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

        mutating func appendInterpolation(_ id: UUID) {
            self.append(plain: id.wireText)
        }

        mutating func appendInterpolation(_ instant: Date?) {
            guard let instant else { return self.appendLiteral("null") }
            self.append(plain: WireJSON.text(instant))
        }

        /// Writes a text; the encoder handles a text that needs escapes.
        mutating func appendInterpolation(_ text: String?) throws {
            guard var text else { return self.appendLiteral("null") }
            let isPlain = text.withUTF8 { utf8 in
                utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
            }
            if isPlain { self.append(plain: text) } else { self.bytes += try WireJSON.encoder.encode(text) }
        }

        /// Writes a list.
        mutating func appendInterpolation<Element>(list: [Element], _ json: (Element) throws -> WireText) rethrows {
            self.appendLiteral("[")
            for (place, element) in list.enumerated() {
                if place > 0 { self.appendLiteral(",") }
                self.appendInterpolation(try json(element))
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
