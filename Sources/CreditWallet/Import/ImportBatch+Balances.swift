import Wallet

extension ImportBatch {
    /// Reads a file of balances with the columns `user_id`, `credits` and optionally `visits`, `at` and `reason`.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - rules: The rules for the rows.
    /// - Throws: ``CommandError`` if the file cannot be read or has other columns.
    init(balances path: String, _ rules: Rules) throws(CommandError) {
        var batch = ImportBatch()
        let table = try TextTable(csv: path) { line, refusal in batch.refuse(line, refusal) }
        let unknown = Set(table.columns).subtracting(["user_id", "credits", "visits", "at", "reason"])
        guard unknown.isEmpty, Set(table.columns).isSuperset(of: ["user_id", "credits"]) else {
            throw CommandError(
                .failed,
                "\(path) must have the columns user_id and credits, and may have visits, at and reason; received "
                    + "\(table.columns.map { ImportRefusal.plain($0) }.joined(separator: ", "))."
            )
        }
        for row in table.rows {
            batch.add(line: row.line, user: table.value("user_id", in: row)) { () throws(ImportRefusal) in
                let credits = try rules.amount(table.value("credits", in: row), of: "credits")
                let visits = try rules.amount(table.value("visits", in: row) ?? "0", of: "visits")
                return ImportedBalance(
                    user: try rules.user(table.value("user_id", in: row)),
                    credits: try credits.whole(times: rules.scale, of: "credits"),
                    visits: try visits.whole(times: 1, of: "visits"),
                    at: try table.value("at", in: row).map { text throws(ImportRefusal) in
                        try rules.instant(text, of: "at", isZoneRequired: true)
                    },
                    reason: table.value("reason", in: row)
                )
            }
        }
        self = batch.checked()
    }

    mutating func refuse(_ line: Int, _ refusal: ImportRefusal) {
        self.add(line: line, user: nil) { () throws(ImportRefusal) in throw refusal }
    }
}
