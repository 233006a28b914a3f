public import Foundation
import JSON
import Postgres

extension Wallet {
    /// The number of users that one transaction compensates, so that their wallets are locked only briefly.
    private static let compensationBatch: Int32 = 50

    /// Adds an amount to the wallets of the members of a class or of a list of users, each once for the reference.
    ///
    /// The users are compensated in several transactions. If the call is interrupted, the same call continues.
    ///
    /// SQL: `functions/operations/compensate.sql`.
    ///
    /// - Parameters:
    ///   - compensation: The compensation.
    ///   - action: ``ActionDescription/compensateClass`` or ``ActionDescription/compensateUsers``.
    ///   - change: The operator, and the circumstances of the change.
    ///   - limits: The maximum amounts; the total counts for the operator's daily amount.
    /// - Returns: The result for each user.
    /// - Throws: ``WalletError`` 400 `malformed-request`, 403 `right-missing`, `amount-too-large` or
    ///   `daily-amount-exceeded`, 404 `class-not-found`, 409 `reference-reused`, 412 `preview-outdated`, 422
    ///   `expiry-passed`, 503 `wallet-busy`, or when the database does not answer.
    package func compensate(
        _ compensation: Compensation,
        _ action: ActionDescription,
        _ change: OperatorChange,
        limits: OperatorLimits
    ) async throws -> CompensationResult {
        let compensation = try compensation.checked(for: action, in: change.environment, limits: limits)
        var receipt = try await self.compensate(compensation, change, limits)
        while receipt.pending > 0, !change.dryRun {
            let next = try await self.compensate(compensation, change, limits)
            receipt = next.continuing(receipt)
        }
        return receipt
    }

    /// Compensates the next users.
    private func compensate(
        _ compensation: Compensation,
        _ change: OperatorChange,
        _ limits: OperatorLimits
    ) async throws -> CompensationResult {
        let source = compensation.source == .gift ? "promo" : "adjustment"
        return try await self.queryOne(
            """
            SELECT a.users, a.total, a.pending, a.refused, a.lines, a.preview FROM wallet.compensate(
                \(compensation.reference), \(change.environment.rawValue)::wallet.environment,
                \(compensation.unit.rawValue)::wallet.unit, \(compensation.classID),
                nullif(\(json: compensation.recipients ?? [])::jsonb, '[]'),
                \(compensation.amount), \(compensation.reason), \(source), \(compensation.expiresAt),
                \(change.actor.id.rawValue), \(change.dryRun), \(change.actor.right.rawValue)::wallet.operator_right,
                \(compensation.newUser), \(change.preview), \(Int64(limits.dailyAmount)), \(Self.compensationBatch)
            ) AS a
            """
        ) { row in
            CompensationResult(
                reference: compensation.reference,
                environment: change.environment,
                unit: compensation.unit,
                dryRun: change.dryRun,
                users: try row.decode("users"),
                total: try row.decode("total"),
                pending: try row.decode("pending"),
                refused: try row.decode("refused"),
                lines: try row.decodeJSON("lines"),
                preview: change.dryRun ? try row.decode("preview") : nil
            )
        }
    }
}

/// An amount that an operator adds to the wallets of many users for one reason.
public struct Compensation: Decodable, Sendable, Equatable {
    /// One user of a list.
    public struct Recipient: Codable, Sendable, Equatable {
        /// The user's id, as in ``Balance``.
        public var userID: String
        /// The user's amount; `nil` for the compensation's amount.
        public var amount: Int64?

        enum CodingKeys: String, CodingKey {
            case userID = "user_id"
            case amount
        }
    }

    /// The maximum number of users of a list.
    static let maximumUsers = 10_000

    /// The class whose members are compensated; `nil` for a list.
    public var classID: String?
    /// The users; `nil` for a class.
    public var recipients: [Recipient]?
    /// The amount for each user without an amount of their own.
    public var amount: Int64?
    /// The unit of the amounts.
    public var unit: CreditUnit
    /// The environment of the wallets; optional, but it must match the environment of the request.
    public var environment: WalletEnvironment?
    /// The reason, for the books, 1 to 500 characters.
    public var reason: String
    /// The operator's reference, 1 to 160 characters; each user is compensated once for a reference.
    public var reference: String
    /// The kind of adjustment; a correction by default.
    public var source: Adjustment.Source
    /// The time at which the remaining amounts expire; `nil` for never.
    public var expiresAt: Date?
    /// A Boolean value that indicates whether users may be unknown to the wallet; otherwise an unknown user is refused
    /// as a probable typing error.
    public var newUser: Bool

    /// Decodes a compensation; `csv` takes the place of `users`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.classID = try container.decodeIfPresent(String.self, forKey: .classID)
        let lines = try container.decodeIfPresent(String.self, forKey: .csv)
        let users = try container.decodeIfPresent([Recipient].self, forKey: .users)
        if users != nil, let lines {
            throw WalletError.member("csv", "must be left out if users is given", Received(lines))
        }
        self.recipients = users ?? lines.map(Self.recipients(inLines:))
        self.amount = try container.decodeIfPresent(Int64.self, forKey: .amount)
        self.unit = try container.decode(CreditUnit.self, forKey: .unit)
        self.environment = try container.decodeIfPresent(WalletEnvironment.self, forKey: .environment)
        self.reason = try container.decode(String.self, forKey: .reason)
        self.reference = try container.decode(String.self, forKey: .reference)
        self.source = try container.decodeIfPresent(Adjustment.Source.self, forKey: .source) ?? .adjustment
        self.expiresAt = try container.decodeIfPresent(Date.self, forKey: .expiresAt)
        self.newUser = try container.decodeIfPresent(Bool.self, forKey: .newUser) ?? false
    }

    enum CodingKeys: String, CodingKey {
        case classID = "class_id"
        case users, csv, amount, unit, environment, reason, reference, source
        case expiresAt = "expires_at"
        case newUser = "new_user"
    }
}

extension Compensation {
    /// Parses a list with one user on each line: the user id, and optionally an amount after a comma, a semicolon or a
    /// tab.
    ///
    /// A first line that begins with `user_id` contains the names of the columns and is skipped. An invalid amount
    /// becomes 0, which is refused for its user.
    ///
    /// - Parameter text: The list, also as a spreadsheet exports it.
    /// - Returns: The users.
    static func recipients(inLines text: String) -> [Recipient] {
        let text = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
        let lines = text.split(whereSeparator: \.isNewline).map { line in
            line.split(omittingEmptySubsequences: false) { [",", ";", "\t"].contains($0) }.map { value in
                value.trimmingCharacters(in: .whitespaces.union(CharacterSet(charactersIn: "\"")))
            }
        }
        return lines.enumerated().compactMap { number, values in
            guard let user = values.first, !user.isEmpty, number > 0 || user.lowercased() != "user_id" else {
                return nil
            }
            let amount = values.count > 1 ? values[1] : ""
            return Recipient(userID: user, amount: amount.isEmpty ? nil : Int64(amount) ?? 0)
        }
    }

    /// Refuses members of the correct type whose values no compensation can have.
    ///
    /// The database checks the amounts and the users of a list and reports each one that it refuses.
    func checked(
        for action: ActionDescription,
        in environment: WalletEnvironment,
        limits: OperatorLimits
    ) throws -> Compensation {
        guard self.environment ?? environment == environment else {
            throw WalletError.member(
                "environment",
                "must match Wallet-Environment (production if absent)",
                self.environment.map { Received($0.rawValue) }
            )
        }
        if action.name == ActionDescription.compensateClass.name {
            guard let id = self.classID else { throw WalletError.malformed("The member \"class_id\" is required.") }
            guard ClassID.isValid(id) else {
                throw WalletError.member("class_id", "must be 1 to 64 of A-Z a-z 0-9 . _ : -", Received(id))
            }
            guard self.recipients == nil else {
                throw WalletError.malformed("Only compensate-users accepts the member \"users\".")
            }
            guard let amount = self.amount, amount > 0 else {
                throw WalletError.member("amount", "must be more than 0", self.amount.map { Received($0) })
            }
        } else {
            guard let count = self.recipients?.count, (1...Self.maximumUsers).contains(count) else {
                throw WalletError.member("users", "must contain 1 to \(Self.maximumUsers) users")
            }
            guard self.classID == nil else {
                throw WalletError.malformed("Only compensate-class accepts the member \"class_id\".")
            }
        }
        let largest = (self.recipients ?? []).compactMap(\.amount).max() ?? 0
        guard max(largest, self.amount ?? 0) <= Int64(limits.maximumAmount) else {
            throw WalletError(
                status: 403,
                slug: "amount-too-large",
                detail: "A user can get at most \(limits.maximumAmount).",
                membersJSON: JSONValue.object(["maximum": .number(Decimal(limits.maximumAmount))]).jsonText
            )
        }
        try OperatorText.check(self.reason, "reason", upTo: 500)
        try OperatorText.check(self.reference, "reference", upTo: 160)
        return self
    }
}

/// The result of a compensation for each user.
public struct CompensationResult: Encodable, Sendable, Equatable {
    /// The result for one user.
    public struct Line: Codable, Sendable, Equatable {
        /// The user's id; `nil` for a deleted user.
        @Nullable public var userID: String?
        /// The user's amount; `nil` if the list has none.
        @Nullable public var amount: Int64?
        /// `added`, `already_added`, `pending` (in a dry run) or `refused`.
        public var result: String
        /// Why the user is refused: `user-not-found`, `user-deleted`, `user-repeated`, `user-id-malformed`,
        /// `amount-not-positive`, `amount-too-large` or `amount-changed`.
        @Nullable public var reason: String?
        /// The balance before; `nil` for an unknown user.
        @Nullable public var before: Int64?
        /// The balance after; `nil` unless the amount is added or pending.
        @Nullable public var after: Int64?

        enum CodingKeys: String, CodingKey {
            case userID = "user_id"
            case amount, result, reason, before, after
        }
    }

    /// The operator's reference.
    public var reference: String
    /// The environment of the wallets.
    public var environment: WalletEnvironment
    /// The unit of the amounts.
    public var unit: CreditUnit
    /// A Boolean value that indicates whether this was a dry run, which writes nothing.
    public var dryRun: Bool
    /// The number of users who are or were compensated.
    public var users: Int64
    /// The sum of their amounts.
    public var total: Int64
    /// The number of users who are not compensated yet; 0 unless this was a dry run.
    public var pending: Int64
    /// The number of users who are refused.
    public var refused: Int64
    /// The result for each user, in the order of the list or of the bookings.
    public var lines: [Line]
    /// The preview of a dry run, which the client sends back to confirm; `nil` otherwise.
    @Nullable public var preview: String?

    enum CodingKeys: String, CodingKey {
        case reference, environment, unit
        case dryRun = "dry_run"
        case users, total, pending, refused, lines, preview
    }

    /// Returns this receipt with the amounts that an earlier transaction of the same call added.
    fileprivate func continuing(_ earlier: CompensationResult) -> CompensationResult {
        guard earlier.lines.count == self.lines.count else { return self }
        var receipt = self
        for (place, line) in earlier.lines.enumerated() where line.result == "added" { receipt.lines[place] = line }
        return receipt
    }
}
