import Wallet

extension ImportBatch {
    /// Reads exports of an app's tables: `user_credits.csv` and `credit_transactions.csv`.
    ///
    /// - Parameters:
    ///   - directory: Where the files are.
    ///   - rules: How rows are read.
    /// - Throws: ``CommandError`` when a file cannot be read, or has other columns.
    init(hobbyApp directory: String, _ rules: Rules) throws(CommandError) {
        var unreadable: [(line: Int, refusal: ImportRefusal)] = []
        let balances = try TextTable(csv: "\(directory)/user_credits.csv") { unreadable.append(($0, $1)) }
        let transactions = try TextTable(csv: "\(directory)/credit_transactions.csv") { line, refusal in
            unreadable.append((line, ImportRefusal("credit_transactions: \(refusal.reason)")))
        }
        try self.init(balances, transactions, rules)
        for (line, refusal) in unreadable { self.refuse(line, refusal) }
    }

    /// Reads the tables of an app, in either generation of their columns.
    ///
    /// - Parameters:
    ///   - balances: `user_credits`.
    ///   - transactions: `credit_transactions`.
    ///   - rules: How rows are read.
    /// - Throws: ``CommandError`` when a table has other columns.
    init(_ balances: TextTable, _ transactions: TextTable, _ rules: Rules) throws(CommandError) {
        let reader = try HobbyAppReader(balances, transactions, rules)
        var batch = ImportBatch()
        var histories = Dictionary(grouping: transactions.rows) { transactions.value("user_id", in: $0) }
        for row in balances.rows {
            let user = balances.value("user_id", in: row)
            let history = histories.removeValue(forKey: user) ?? []
            batch.add(line: row.line, user: user) { () throws(ImportRefusal) in try reader.balance(row, history) }
        }
        // A user without a balance is nobody's mistake but the source's; guessing one would be ours.
        for (user, history) in histories.sorted(by: { $0.key ?? "" < $1.key ?? "" }) {
            batch.add(line: nil, user: user) { () throws(ImportRefusal) in
                throw ImportRefusal("\(history.count) transactions, but no row in user_credits")
            }
        }
        self = batch.checked()
    }
}
