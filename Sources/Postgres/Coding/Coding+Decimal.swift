public import Foundation

extension Decimal: PostgresScalar {
    /// `numeric`.
    public static var postgresOID: OID { .numeric }
    /// `numeric[]`.
    public static var postgresArrayOID: OID { .numericArray }

    /// Returns the server's layout: groups of four digits, aligned at the decimal point.
    public func postgresBytes() -> [UInt8]? {
        guard !self.isNaN else { return NumericLayout.notANumber.bytes }
        return NumericLayout(plain: NSDecimalNumber(decimal: self.magnitude).description(withLocale: nil))
            .signed(self.sign == .minus).bytes
    }

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

/// The server's layout of a `numeric`: base-10000 digits, the weight of the first digit, a sign and a scale.
private struct NumericLayout {
    static let negative: UInt16 = 0x4000
    static let notANumber = NumericLayout(digits: [], weight: 0, sign: 0xC000, scale: 0)

    var digits: [Int16]
    var weight: Int
    var sign: UInt16
    var scale: Int

    init(digits: [Int16], weight: Int, sign: UInt16, scale: Int) {
        self.digits = digits
        self.weight = weight
        self.sign = sign
        self.scale = scale
    }

    /// Creates a layout from a non-negative number in plain notation, such as `120.05`.
    init(plain: String) {
        let parts = plain.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let whole = String(parts.first ?? "0")
        let fraction = parts.count > 1 ? String(parts[1]) : ""
        let head = String(repeating: "0", count: (4 - whole.count % 4) % 4) + whole
        let tail = fraction + String(repeating: "0", count: (4 - fraction.count % 4) % 4)
        let text = Array((head + tail).utf8)
        self.digits = stride(from: 0, to: text.count, by: 4).map { start in
            text[start..<start + 4].reduce(0) { $0 * 10 + Int16($1) - 48 }
        }
        self.weight = head.utf8.count / 4 - 1
        self.sign = 0
        self.scale = fraction.count
    }

    init?(_ bytes: ArraySlice<UInt8>) {
        let words = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        guard words.count >= 4, words.count == 4 + Int(words[0]) else { return nil }
        self.digits = words[4...].map { Int16(bitPattern: $0) }
        self.weight = Int(Int16(bitPattern: words[1]))
        self.sign = words[2]
        self.scale = Int(words[3])
    }

    func signed(_ isNegative: Bool) -> Self {
        var layout = self
        layout.sign = isNegative ? Self.negative : 0
        return layout
    }

    var bytes: [UInt8] {
        Int16(self.digits.count).bigEndianBytes + Int16(self.weight).bigEndianBytes + self.sign.bigEndianBytes
            + Int16(self.scale).bigEndianBytes + self.digits.flatMap(\.bigEndianBytes)
    }

    /// The number; `nil` if it is infinite or has more digits than `Decimal` holds.
    var decimal: Decimal? {
        guard self.sign != Self.notANumber.sign else { return .nan }
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
