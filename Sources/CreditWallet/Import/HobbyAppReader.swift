import CommandOutput
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

/// Reads rows of `user_credits` and `credit_transactions`, whose columns changed their names over time.
struct HobbyAppReader {
    private let balances: TextTable
    private let transactions: TextTable
    private let rules: ImportBatch.Rules
    private let typeColumn: String
    private let amountColumn: String

    /// Creates a reader that detects the columns' names.
    init(_ balances: TextTable, _ transactions: TextTable, _ rules: ImportBatch.Rules) throws(CommandError) {
        self.balances = balances
        self.transactions = transactions
        self.rules = rules
        guard
            balances.columns.contains("user_id"),
            balances.columns.contains("credit_balance")
                || ["total_credits", "used_credits"].allSatisfy(balances.columns.contains)
        else {
            throw CommandError(
                .failed,
                "user_credits must have the columns user_id, and credit_balance or total_credits and used_credits."
            )
        }
        guard
            let type = ["transaction_type", "type"].first(where: transactions.columns.contains),
            let amount = ["credit_amount", "credits_amount", "amount"].first(where: transactions.columns.contains),
            ["user_id", "created_at"].allSatisfy(transactions.columns.contains)
        else {
            throw CommandError(
                .failed,
                "credit_transactions must have the columns user_id, created_at, transaction_type or type, and "
                    + "credit_amount, credits_amount or amount."
            )
        }
        self.typeColumn = type
        self.amountColumn = amount
    }

    /// Returns one user's balance and history.
    func balance(_ row: TextTable.Row, _ history: [TextTable.Row]) throws(ImportRefusal) -> ImportedBalance {
        let user = try self.rules.user(self.balances.value("user_id", in: row))
        let credits = try self.credits(row).whole(times: self.rules.scale, of: "the balance")
        var movements: [ImportedBalance.Movement] = []
        for transaction in history {
            if let movement = try self.movement(transaction) { movements.append(movement) }
        }
        var at: ImportInstant?
        if let text = self.balances.value("updated_at", in: row) {
            at = try self.rules.instant(text, of: "updated_at")
        }
        return ImportedBalance(user: user, credits: credits, movements: movements, at: at)
    }

    private func credits(_ row: TextTable.Row) throws(ImportRefusal) -> ImportAmount {
        func number(_ column: String) throws(ImportRefusal) -> ImportAmount {
            try self.rules.amount(self.balances.value(column, in: row), of: column)
        }
        if self.balances.columns.contains("credit_balance") { return try number("credit_balance") }
        let left = (try number("total_credits") - number("used_credits")).orZero
        let rollover = self.balances.value("rollover_credits", in: row) == nil ? .zero : try number("rollover_credits")
        return left + rollover
    }

    /// Returns an entry of the history; nil if it changed only money and no credits.
    private func movement(_ row: TextTable.Row) throws(ImportRefusal) -> ImportedBalance.Movement? {
        guard let text = self.transactions.value(self.amountColumn, in: row) else { return nil }
        let place = row.line.map { "transaction of line \($0)" } ?? "transaction"
        let kind = self.transactions.value(self.typeColumn, in: row) ?? "unknown"
        var amount = try self.rules.amount(text, of: "\(place): \(self.amountColumn)")
        // Values of credit_amount have a sign; for the other columns, the type determines the sign.
        if self.amountColumn != "credit_amount", ["use", "spend", "expire"].contains(kind) {
            amount = amount.magnitude.negated
        }
        guard amount != .zero else { return nil }
        return ImportedBalance.Movement(
            at: try self.rules.instant(
                self.transactions.value("created_at", in: row) ?? "",
                of: "\(place): created_at"
            ),
            amount: try amount.whole(times: self.rules.scale, of: "\(place): \(self.amountColumn)"),
            kind: kind,
            reason: self.transactions.value("description", in: row)
        )
    }
}
