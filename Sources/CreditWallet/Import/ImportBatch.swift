import CommandOutput
import Wallet

/// The result of reading a source: balances to import, and rows that are refused.
struct ImportBatch {
    /// A row of the source.
    struct Row {
        /// The row's line; nil if the source has no lines.
        let line: Int?
        /// The row's user; nil if the row names none.
        let user: String?
        let content: Result<ImportedBalance, ImportRefusal>
    }

    private(set) var rows: [Row] = []

    /// A Boolean value that indicates whether any row can be imported.
    var holdsBalances: Bool {
        self.rows.contains { row in
            if case .success = row.content { true } else { false }
        }
    }

    /// The rules for reading rows.
    struct Rules {
        /// The factor by which numbers of credits are multiplied.
        var scale: Int64 = 1
        /// The text that precedes each user id of the source in the service.
        var userPrefix = ""
        /// The latest accepted instant: from the cut-over on, the stores' purchases grant.
        var cutOver: ImportInstant
    }

    mutating func add(line: Int?, user: String?, _ read: () throws(ImportRefusal) -> ImportedBalance) {
        do {
            self.rows.append(Row(line: line, user: user, content: .success(try read())))
        } catch {
            self.rows.append(Row(line: line, user: user, content: .failure(error)))
        }
    }

    /// Returns the rows sorted by line.
    ///
    /// If a user occurs more than once, all rows of the user are refused, because it is unknown which one is correct.
    func checked() -> ImportBatch {
        let counts = self.rows.reduce(into: [UserID: Int]()) { counts, row in
            if let user = row.user { counts[UserID(rawValue: user), default: 0] += 1 }
        }
        var batch = self
        batch.rows = self.rows.map { row in
            guard let user = row.user, counts[UserID(rawValue: user), default: 0] > 1 else { return row }
            return Row(line: row.line, user: user, content: .failure(ImportRefusal("the user occurs more than once")))
        }
        batch.rows.sort { ($0.line ?? .max) < ($1.line ?? .max) }
        return batch
    }
}

extension ImportBatch {
    /// Reads a file of balances with the columns `user_id`, `credits` and optionally `visits`, `at`, `reason`, `name` and
    /// `email`.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - rules: The rules for the rows.
    /// - Throws: ``CommandError`` if the file cannot be read or has other columns.
    init(balances path: String, _ rules: Rules) throws(CommandError) {
        var batch = ImportBatch()
        let table = try TextTable(csv: path) { line, refusal in batch.refuse(line, refusal) }
        let unknown = Set(table.columns).subtracting(["user_id", "credits", "visits", "at", "reason", "name", "email"])
        guard unknown.isEmpty, Set(table.columns).isSuperset(of: ["user_id", "credits"]) else {
            throw CommandError(
                .failed,
                "\(path) must have the columns user_id and credits, and may have visits, at, reason, name and email; received "
                    + "\(table.columns.map { ImportRefusal.plain($0) }.joined(separator: ", "))."
            )
        }
        for row in table.rows {
            batch.add(line: row.line, user: table.value("user_id", in: row)) { () throws(ImportRefusal) in
                let credits = try rules.amount(table.value("credits", in: row), of: "credits")
                let visits = try rules.amount(table.value("visits", in: row) ?? "0", of: "visits")
                let profile = UserProfile(name: table.value("name", in: row), email: table.value("email", in: row))
                return ImportedBalance(
                    user: try rules.user(table.value("user_id", in: row)),
                    credits: try credits.whole(times: rules.scale, of: "credits"),
                    visits: try visits.whole(times: 1, of: "visits"),
                    at: try table.value("at", in: row).map { text throws(ImportRefusal) in
                        try rules.instant(text, of: "at", isZoneRequired: true)
                    },
                    reason: table.value("reason", in: row),
                    profile: profile == UserProfile(name: nil, email: nil) ? nil : profile
                )
            }
        }
        self = batch.checked()
    }

    mutating func refuse(_ line: Int, _ refusal: ImportRefusal) {
        self.add(line: line, user: nil) { () throws(ImportRefusal) in throw refusal }
    }
}

extension ImportBatch.Rules {
    /// Returns the user's id in the service.
    func user(_ id: String?) throws(ImportRefusal) -> UserID {
        guard let id else { throw ImportRefusal("user_id is empty") }
        // The report prints the id, and a terminal would interpret control characters.
        guard !id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw ImportRefusal("user_id contains control characters")
        }
        return UserID(rawValue: self.userPrefix + id)
    }

    /// Parses an instant, which must not be after the cut-over.
    ///
    /// - Parameters:
    ///   - text: The instant.
    ///   - name: The column's name.
    ///   - isZoneRequired: A Boolean value that indicates whether the instant must have a time zone. A column of
    ///     PostgreSQL may have none, which means UTC.
    /// - Returns: The instant.
    /// - Throws: ``ImportRefusal`` for an invalid text or an instant after the cut-over.
    func instant(
        _ text: String,
        of name: String,
        isZoneRequired: Bool = false
    ) throws(ImportRefusal) -> ImportInstant {
        guard let instant = ImportInstant(text, isZoneRequired: isZoneRequired) else {
            let zone = isZoneRequired ? " with a zone" : ""
            throw ImportRefusal(name, "must be an instant\(zone) such as 2026-11-21T00:00:00Z", received: text)
        }
        guard instant <= self.cutOver else {
            throw ImportRefusal(name, "is after the cut-over, \(self.cutOver.text)", received: text)
        }
        return instant
    }

    /// Parses a number of credits.
    func amount(_ text: String?, of name: String) throws(ImportRefusal) -> ImportAmount {
        guard let text else { throw ImportRefusal("\(name) is empty") }
        guard let amount = ImportAmount(text) else {
            throw ImportRefusal(name, "must be a plain number such as 12 or 12.5", received: text)
        }
        return amount
    }
}

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
