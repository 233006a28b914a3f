import Foundation
import JSON

extension Wallet {
    /// Reads the beginning of a list for a CSV file with all rows of the filters.
    ///
    /// The export holds one part of the list at a time, so that its size does not depend on the number of rows.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - filters: The filter values, as for ``rows(of:where:page:)``.
    /// - Returns: The export, whose first part was read.
    /// - Throws: The errors of ``rows(of:where:page:)``.
    package func export(_ list: OperatorList, where filters: [String: String]) async throws -> CSVExport {
        let first = try await self.rows(of: list, where: filters, page: CSVExport.part(after: nil))
        return CSVExport(wallet: self, list: list, filters: filters, first: first)
    }
}

/// A CSV file with all rows of a list, which is read and written in parts.
package struct CSVExport: Sendable {
    fileprivate let wallet: Wallet
    fileprivate let list: OperatorList
    fileprivate let filters: [String: String]
    fileprivate let first: Page<OperatorRow>

    /// Writes the whole file, each part after the previous one was accepted.
    ///
    /// - Parameter write: A closure that sends a part of the file.
    /// - Throws: An error of the closure or of the database. The file is then incomplete, and the connection must end
    ///   without the mark of a complete response.
    package func write(_ write: (String) async throws -> Void) async throws {
        var part = self.first
        try await write(CSVText(self.list.columns, part.items).text)
        while let cursor = part.nextCursor {
            part = try await self.wallet.rows(of: self.list, where: self.filters, page: Self.part(after: cursor))
            try await write(CSVText(rows: part.items).text)
        }
    }

    fileprivate static func part(after cursor: String?) -> PageRequest {
        var page = PageRequest(cursor: cursor)
        page.limit = 1_000
        return page
    }
}

/// Rows of a list as CSV (RFC 4180): a line of column names, then one line for each row.
///
/// A text that a spreadsheet could read as a formula gets an apostrophe in front of it.
public struct CSVText: Sendable {
    /// The complete text; each line ends with CR and LF.
    public let text: String

    /// Creates the text for rows.
    ///
    /// - Parameters:
    ///   - columns: The columns.
    ///   - rows: The rows, with these columns.
    public init(_ columns: [OperatorColumn], _ rows: [OperatorRow]) {
        self.text = columns.map(\.name).joined(separator: ",") + "\r\n" + CSVText(rows: rows).text
    }

    /// Creates the text for rows without the column names.
    fileprivate init(rows: [OperatorRow]) {
        self.text = rows.map { $0.values.map(Self.field).joined(separator: ",") + "\r\n" }.joined()
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

    /// Returns a text as a field.
    ///
    /// - Parameter text: The text.
    /// - Returns: The field, in double quotes if necessary.
    public static func quoted(_ text: String) -> String {
        let plain = Self.withoutFormulas(text)
        guard plain.utf8.contains(where: "\",;\t\r\n".utf8.contains) else { return plain }
        return "\"\(plain.replacing("\"", with: "\"\""))\""
    }

    /// Inserts an apostrophe at each position where a spreadsheet could start to read a formula.
    ///
    /// One such position is the beginning of the text. For programs whose cells end at a semicolon, a tab or a line
    /// break, the position after such a character is another. Quotes inside such a cell do not protect it.
    private static func withoutFormulas(_ text: String) -> String {
        var safe = String.UnicodeScalarView()
        // Blanks at the beginning of a cell, which some programs skip.
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
    /// A Boolean value that indicates whether a formula may start with this character; East Asian keyboards type the
    /// full-width ones.
    fileprivate var beginsFormula: Bool { "=+-@＝＋－＠".unicodeScalars.contains(self) }

    /// A Boolean value that indicates whether the character is invisible.
    fileprivate var isBlank: Bool { self.properties.isWhitespace || self.properties.generalCategory == .format }
}
