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
