public import Foundation

extension Decimal: PostgresDecodable {
    /// Reads a `numeric` or an integer; throws instead of rounding if the value has more digits than `Decimal` holds.
    ///
    /// - Parameter cell: The value that the server sent.
    /// - Throws: ``PostgresError`` with code `decoding`.
    public init(cell: Cell) throws(PostgresError) {
        guard cell.type != .numeric else {
            guard let value = NumericLayout(try cell.bytes(of: .numeric, for: Self.self))?.decimal else {
                throw cell.mismatch(Self.self)
            }
            self = value
            return
        }
        self = Decimal(try Int64(cell: cell))
    }
}

/// The server's layout of a `numeric`: base-10000 digits, the weight of the first digit and a sign.
private struct NumericLayout {
    static let negative: UInt16 = 0x4000
    static let notANumber: UInt16 = 0xC000

    let digits: [Int16]
    let weight: Int
    let sign: UInt16

    init?(_ bytes: ArraySlice<UInt8>) {
        let words = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        guard words.count >= 4, words.count == 4 + Int(words[0]) else { return nil }
        // The fourth word is the number of displayed fraction digits, which does not change the value.
        self.digits = words[4...].map { Int16(bitPattern: $0) }
        self.weight = Int(Int16(bitPattern: words[1]))
        self.sign = words[2]
    }

    /// The number; `nil` if it is infinite or has more digits than `Decimal` holds.
    var decimal: Decimal? {
        guard self.sign != Self.notANumber else { return .nan }
        guard self.sign == 0 || self.sign == Self.negative else { return nil }
        guard self.digits.contains(where: { $0 != 0 }) else { return .zero }
        var significand = Decimal.zero
        for digit in self.digits {
            var shifted = Decimal()
            var sum = Decimal()
            var tenThousand = Decimal(10_000)
            var next = Decimal(Int(digit))
            guard NSDecimalMultiply(&shifted, &significand, &tenThousand, .plain) == .noError,
                NSDecimalAdd(&sum, &shifted, &next, .plain) == .noError
            else { return nil }
            significand = sum
        }
        let exponent = (self.weight - self.digits.count + 1) * 4
        let sign: FloatingPointSign = self.sign == Self.negative ? .minus : .plus
        guard (-128...127).contains(exponent + significand.exponent) else { return nil }
        return Decimal(sign: sign, exponent: exponent, significand: significand)
    }
}
