/// A decimal number of credits from another system, exact to the millionth.
struct ImportAmount: Equatable {
    let millionths: Int64

    static let zero = ImportAmount(millionths: 0)

    private init(millionths: Int64) {
        self.millionths = millionths
    }

    /// Parses a plain decimal number with at most twelve digits before the point and six after it; further zeros are
    /// ignored.
    init?(_ text: String) {
        let isNegative = text.hasPrefix("-")
        let parts = text.dropFirst(isNegative ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, (1...12).contains(parts[0].count), parts.allSatisfy({ !$0.isEmpty }),
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }), let whole = Int64(parts[0])
        else { return nil }
        let fraction = parts.count == 2 ? String(parts[1]) : ""
        guard fraction.dropFirst(6).allSatisfy({ $0 == "0" }) else { return nil }
        let digits = fraction.prefix(6) + String(repeating: "0", count: max(0, 6 - fraction.count))
        self.millionths = (isNegative ? -1 : 1) * (whole * 1_000_000 + (Int64(digits) ?? 0))
    }

    static func - (one: Self, other: Self) -> Self { Self(millionths: one.millionths - other.millionths) }
    static func + (one: Self, other: Self) -> Self { Self(millionths: one.millionths + other.millionths) }

    var magnitude: Self { Self(millionths: abs(self.millionths)) }
    var orZero: Self { Self(millionths: max(0, self.millionths)) }
    var negated: Self { Self(millionths: -self.millionths) }

    /// Returns the number multiplied by the scale; throws if the result is not an integer.
    func whole(times scale: Int64, of name: String) throws(ImportRefusal) -> Int64 {
        let (product, overflows) = self.millionths.multipliedReportingOverflow(by: scale)
        guard !overflows else { throw ImportRefusal("\(name) is too large") }
        guard product % 1_000_000 == 0 else {
            throw ImportRefusal("\(name) is not a whole number (\(self)); use a larger --scale")
        }
        return product / 1_000_000
    }
}

extension ImportAmount: CustomStringConvertible {
    var description: String {
        let digits = String(self.millionths.magnitude % 1_000_000)
        let padded = String(repeating: "0", count: 6 - digits.count) + digits
        let fraction = padded.prefix(1 + (padded.lastIndex { $0 != "0" }?.utf16Offset(in: padded) ?? -1))
        let whole = "\(self.millionths < 0 ? "-" : "")\(self.millionths.magnitude / 1_000_000)"
        return fraction.isEmpty ? whole : "\(whole).\(fraction)"
    }
}

/// The reason why a row cannot be imported: the field, the rule for its value, and the received value.
struct ImportRefusal: Error, Equatable {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }

    /// Creates a refusal of a field's value.
    init(_ field: String, _ rule: String, received text: String) {
        self.reason = "\(field) \(rule); received \(Self.quoted(text))"
    }

    /// Returns the beginning of a text in quotes, on one line and without terminal control characters.
    static func quoted(_ text: String) -> String { "\"\(Self.plain(text))\"" }

    /// Returns the beginning of a text, on one line and without terminal control characters.
    static func plain(_ text: String, upTo length: Int = 40) -> String {
        let shown = text.unicodeScalars.prefix(length).map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: "\u{FFFD}"
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(shown)) + (text.unicodeScalars.count > length ? "…" : "")
    }
}
