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
        let isFormula = text.utf8.first.map("=+-@\t\r".utf8.contains) ?? false
        let plain = (isFormula ? "'" : "") + text
        guard plain.utf8.contains(where: "\",\r\n".utf8.contains) else { return plain }
        return "\"\(plain.replacing("\"", with: "\"\""))\""
    }
}
