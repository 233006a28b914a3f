import Foundation

/// Rows of a list as CSV (RFC 4180): a line of column names, then a line for each row.
///
/// A text that a spreadsheet would take for a formula gets an apostrophe before it.
public struct CSVText: Sendable {
    /// The whole text, its lines ended by CR and LF.
    public let text: String

    /// Writes rows.
    ///
    /// - Parameters:
    ///   - columns: The columns.
    ///   - rows: The rows, with these columns.
    public init(_ columns: [OperatorColumn], _ rows: [OperatorRow]) {
        let head = columns.map(\.name).joined(separator: ",")
        let lines = rows.map { $0.values.map(Self.field).joined(separator: ",") }
        self.text = ([head] + lines).map { $0 + "\r\n" }.joined()
    }

    private static func field(_ value: OperatorRow.Value) -> String {
        switch value {
        case .null: ""
        case .text(let text): Self.quoted(text)
        case .integer(let number): String(number)
        case .decimal(let number): "\(number)"
        case .instant(let date): date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        case .flag(let flag): String(flag)
        case .json(let json): Self.quoted(json.jsonText)
        }
    }

    /// Writes one text as a field.
    ///
    /// - Parameter text: The text.
    /// - Returns: The field, in double quotes where it has to be.
    public static func quoted(_ text: String) -> String {
        let plain = Self.withoutFormulas(text)
        guard plain.utf8.contains(where: "\",;\t\r\n".utf8.contains) else { return plain }
        return "\"\(plain.replacing("\"", with: "\"\""))\""
    }

    /// Puts an apostrophe before each place at which a spreadsheet could begin to read a formula.
    ///
    /// This is the beginning, and in programs whose cells end at a semicolon, a tab or a line break also the place after
    /// one, since quotes inside of what they take for a cell do not count.
    private static func withoutFormulas(_ text: String) -> String {
        var safe = String.UnicodeScalarView()
        // Blanks at the beginning of a cell, which some programs pass over.
        var blanks: String.UnicodeScalarView? = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if let held = blanks {
                if scalar.isBlank, !"\t\r\n".unicodeScalars.contains(scalar) {
                    blanks?.append(scalar)
                    continue
                }
                let isFirst = safe.isEmpty && held.isEmpty
                if scalar.beginsFormula || isFirst && "\t\r".unicodeScalars.contains(scalar) { safe.append("'") }
                safe.append(contentsOf: held)
                blanks = nil
            }
            safe.append(scalar)
            if ";\t\r\n".unicodeScalars.contains(scalar) { blanks = String.UnicodeScalarView() }
        }
        if let blanks { safe.append(contentsOf: blanks) }
        return String(safe)
    }
}

extension Unicode.Scalar {
    /// Whether a spreadsheet reads a formula from here on, also in the full width that East Asian keyboards type.
    fileprivate var beginsFormula: Bool { "=+-@＝＋－＠".unicodeScalars.contains(self) }

    /// Whether nothing is seen of it.
    fileprivate var isBlank: Bool { self.properties.isWhitespace || self.properties.generalCategory == .format }
}
