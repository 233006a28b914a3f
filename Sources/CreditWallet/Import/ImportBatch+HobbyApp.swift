import Wallet

extension ImportBatch {
    /// Reads the exports of an app's tables: `user_credits.csv` and `credit_transactions.csv`.
    ///
    /// An invalid line in `user_credits.csv` is refused. An invalid line in `credit_transactions.csv` stops the import,
    /// because a history with a missing line could never be corrected.
    ///
    /// - Parameters:
    ///   - directory: The directory of the files.
    ///   - rules: The rules for the rows.
    /// - Throws: ``CommandError`` if a file cannot be read or has other columns.
    init(hobbyApp directory: String, _ rules: Rules) throws(CommandError) {
        var batch = ImportBatch()
        var lacking: [String] = []
        let balances = try TextTable(csv: "\(directory)/user_credits.csv") { line, refusal in
            batch.refuse(line, refusal)
        }
        let transactions = try TextTable(csv: "\(directory)/credit_transactions.csv") { line, refusal in
            lacking.append("line \(line): \(refusal.reason)")
        }
        guard lacking.isEmpty else {
            throw CommandError(
                .failed,
                "credit_transactions.csv: \(lacking.joined(separator: "; ")). Nothing was imported."
            )
        }
        try batch.add(balances, transactions, rules)
        self = batch.checked()
    }

    /// Reads the tables of an app's database.
    ///
    /// - Parameters:
    ///   - database: The tables.
    ///   - rules: The rules for the rows.
    /// - Throws: ``CommandError`` if a table has other columns.
    init(_ database: HobbyAppDatabase, _ rules: Rules) throws(CommandError) {
        var batch = ImportBatch()
        try batch.add(database.balances, database.transactions, rules)
        self = batch.checked()
    }

    /// Adds all users of the tables, with old or new names of the columns.
    private mutating func add(
        _ balances: TextTable,
        _ transactions: TextTable,
        _ rules: Rules
    ) throws(CommandError) {
        let reader = try HobbyAppReader(balances, transactions, rules)
        let histories = Dictionary(grouping: transactions.rows) { row in
            transactions.value("user_id", in: row).map(UserID.init)
        }
        for row in balances.rows {
            let user = balances.value("user_id", in: row)
            self.add(line: row.line, user: user) { () throws(ImportRefusal) in
                try reader.balance(row, histories[user.map(UserID.init)] ?? [])
            }
        }
        // A user with transactions but without a balance is refused, because the balance would be a guess.
        let known = Set(balances.rows.map { balances.value("user_id", in: $0).map(UserID.init) })
        let sorted = histories.sorted { $0.key?.rawValue ?? "" < $1.key?.rawValue ?? "" }
        for (user, history) in sorted where !known.contains(user) {
            self.add(line: nil, user: user?.rawValue) { () throws(ImportRefusal) in
                throw ImportRefusal("\(history.count) transactions, but no row in user_credits")
            }
        }
    }
}
