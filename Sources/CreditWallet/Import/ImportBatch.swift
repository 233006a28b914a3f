import Wallet

/// What was read from a source: balances to import, and rows that cannot be.
struct ImportBatch {
    /// A row of the source.
    struct Row {
        /// Its line, where the source has lines.
        let line: Int?
        /// The user, where the row names one.
        let user: String?
        let content: Result<ImportedBalance, ImportRefusal>
    }

    private(set) var rows: [Row] = []

    /// Whether there is anything that can be imported.
    var holdsBalances: Bool {
        self.rows.contains { row in
            if case .success = row.content { true } else { false }
        }
    }

    /// How rows are read.
    struct Rules {
        /// By what numbers of credits are multiplied.
        var scale: Int64 = 1
        /// What stands before each user id of the source in the service's.
        var userPrefix = ""
        /// Nothing later than this can be imported: the stores' purchases count from then on.
        var cutOver: ImportInstant
    }

    mutating func add(line: Int?, user: String?, _ read: () throws(ImportRefusal) -> ImportedBalance) {
        do {
            self.rows.append(Row(line: line, user: user, content: .success(try read())))
        } catch {
            self.rows.append(Row(line: line, user: user, content: .failure(error)))
        }
    }

    /// The rows by line; every row of a user who is there more than once is refused, since nobody can know which is right.
    func checked() -> ImportBatch {
        let counts = self.rows.reduce(into: [UserID: Int]()) { counts, row in
            if let user = row.user { counts[UserID(rawValue: user), default: 0] += 1 }
        }
        var batch = self
        batch.rows = self.rows.map { row in
            guard let user = row.user, counts[UserID(rawValue: user), default: 0] > 1 else { return row }
            return Row(line: row.line, user: user, content: .failure(ImportRefusal("the user is there more than once")))
        }
        batch.rows.sort { ($0.line ?? .max) < ($1.line ?? .max) }
        return batch
    }
}

extension ImportBatch.Rules {
    /// The service's id of a user.
    func user(_ id: String?) throws(ImportRefusal) -> UserID {
        guard let id else { throw ImportRefusal("user_id is empty") }
        // The report shows it, and a terminal would obey what it says.
        guard !id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw ImportRefusal("user_id holds control characters")
        }
        return UserID(rawValue: self.userPrefix + id)
    }

    /// Reads an instant that has to lie before the cut-over.
    ///
    /// - Parameters:
    ///   - text: The instant.
    ///   - name: The column's name.
    ///   - isZoneRequired: Whether it must name its zone. A column of PostgreSQL may have none, which is UTC.
    /// - Returns: The instant.
    /// - Throws: ``ImportRefusal`` for what is no instant, and for one after the cut-over.
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

    /// Reads a number of credits.
    func amount(_ text: String?, of name: String) throws(ImportRefusal) -> ImportAmount {
        guard let text else { throw ImportRefusal("\(name) is empty") }
        guard let amount = ImportAmount(text) else {
            throw ImportRefusal(name, "must be a plain number such as 12 or 12.5", received: text)
        }
        return amount
    }
}
