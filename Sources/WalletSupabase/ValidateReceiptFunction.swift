import Foundation
import HTTPTypes
import Hummingbird
import JSON
import StoreSync
import Stores
import Wallet
import WalletAPI

/// The function `validate-receipt`: grants a purchase from its proof, in the environment that the store reports.
///
/// - `POST /functions/v1/validate-receipt` (user)
struct ValidateReceiptFunction {
    let wallet: Wallet
    let intake: PurchaseIntake
    let limiter: UserRateLimiter

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.post("validate-receipt", use: self.validate)
    }

    @Sendable
    private func validate(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<ValidatedReceipt>> {
        try await self.limiter.answer(context.user) {
            let start = ContinuousClock.now
            let sent = try await request.json(SupabaseReceipt.self, upTo: BodyLimit.receipts, mayBePlain: true)
            let result = try await self.intake.submit(sent.proof, naming: sent.transactionID, for: context.caller)
            let environment = WalletEnvironment(result.verified.environment)
            let balance = try await self.wallet.balance(of: context.user, in: environment)
            let validated = try ValidatedReceipt(
                result,
                balance: balance.credits,
                elapsed: ContinuousClock.now - start
            )
            return Envelope(validated, requestID: context.requestID)
        }
    }
}

/// A proof of purchase in the apps' format: a base64 receipt or a signed transaction in the same member.
///
/// Of the other members, only the transaction id is used.
struct SupabaseReceipt: Sendable {
    let receipt: String
    let transactionID: String?

    /// The form of the proof: a signed transaction contains dots, which base64 does not use.
    var proof: PurchaseProof {
        let isSigned = self.receipt.contains(".") && !self.isObject
        return isSigned ? .signed([self.receipt], appTransaction: nil) : .receipt(self.receipt)
    }

    private var isObject: Bool { self.receipt.first { !$0.isWhitespace } == "{" }

    private enum CodingKeys: String, CodingKey {
        case receipt, receiptData
        case transactionID = "transaction_id"
        case camelTransactionID = "transactionId"
    }
}

extension SupabaseReceipt: Decodable {
    /// Decodes the members.
    ///
    /// An object instead of a text is an unsigned transaction and is refused.
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let name: CodingKeys = members.contains(.receipt) ? .receipt : .receiptData
        guard members.contains(name) else { throw Problem.member("receipt", "is required") }
        do {
            self.receipt = try members.decode(String.self, forKey: name).trimmed
        } catch DecodingError.typeMismatch {
            _ = try members.nestedContainer(keyedBy: CodingKeys.self, forKey: name)
            throw Problem(.badRequest, "unsigned-transaction", "The transaction must be signed by the store.")
        }
        self.transactionID =
            try members.decodeIfPresent(String.self, forKey: .transactionID)
            ?? members.decodeIfPresent(String.self, forKey: .camelTransactionID)
        if let id = self.transactionID, !TransactionID.isValid(id) {
            throw Problem.member("transactionId", "must be 1 to 255 visible ASCII characters", Received(id))
        }
    }
}

/// The response of `validate-receipt`, with each number under the names that different apps read.
private struct ValidatedReceipt: Encodable, Sendable {
    /// A transaction that was not granted, with the reason.
    struct Skipped: Encodable, Sendable {
        let transactionID: String
        let reason: String

        enum CodingKeys: String, CodingKey {
            case transactionID = "transaction_id"
            case reason
        }
    }

    let transactionID: String
    let creditsGranted: Int64
    let visitsGranted: Int64
    let balanceAfter: Int64
    let idempotent: Bool
    let environment: WalletEnvironment
    let skipped: [Skipped]
    let finish: [String]
    let processingTimeMs: Int

    /// Summarises a proof with at least one purchase that was granted to the caller.
    ///
    /// If purchases were granted just now, the response contains only these; otherwise it contains the purchases that
    /// were granted earlier.
    ///
    /// - Parameters:
    ///   - result: The result of the proof.
    ///   - balance: The credits after the request.
    ///   - elapsed: The processing time.
    /// - Throws: ``Problem`` 422 `nothing-granted` if no purchase of the proof was ever granted.
    init(_ result: PurchaseIntake.Result, balance: Int64, elapsed: Duration) throws {
        let granted = result.concerned.filter { $0.verdict == .granted }
        guard let first = granted.first(where: { !$0.duplicate }) ?? granted.first else {
            throw Problem.nothingGranted(result)
        }
        let answered = granted.filter { $0.duplicate == first.duplicate }
        self.transactionID = first.transactionID
        self.creditsGranted = answered.filter { $0.unit == .credit }.reduce(0) { $0 + $1.amount }
        self.visitsGranted = answered.filter { $0.unit == .visit }.reduce(0) { $0 + $1.amount }
        self.balanceAfter = balance
        self.idempotent = first.duplicate
        self.environment = WalletEnvironment(result.verified.environment)
        self.skipped = result.outcomes.filter { $0.verdict == .skipped }.map { outcome in
            Skipped(transactionID: outcome.transactionID, reason: outcome.reason ?? "skipped")
        }
        self.finish = ReceiptResult.finished(result.outcomes)
        self.processingTimeMs = Int(elapsed / .milliseconds(1))
    }

    private enum CodingKeys: String, CodingKey {
        case transactionID = "transaction_id"
        case camelTransactionID = "transactionId"
        case creditsGranted = "credits_granted"
        case camelCreditsGranted = "creditsGranted"
        case visitsGranted = "visits_granted"
        case balanceAfter = "balance_after"
        case camelBalanceAfter = "balanceAfter"
        case newBalance = "new_balance"
        case idempotent, environment, skipped, finish, message, processingTimeMs
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        for key in [CodingKeys.transactionID, .camelTransactionID] {
            try members.encode(self.transactionID, forKey: key)
        }
        for key in [CodingKeys.creditsGranted, .camelCreditsGranted] {
            try members.encode(self.creditsGranted, forKey: key)
        }
        for key in [CodingKeys.balanceAfter, .camelBalanceAfter, .newBalance] {
            try members.encode(self.balanceAfter, forKey: key)
        }
        try members.encode(self.visitsGranted, forKey: .visitsGranted)
        try members.encode(self.idempotent, forKey: .idempotent)
        try members.encode(self.environment, forKey: .environment)
        try members.encode(self.skipped, forKey: .skipped)
        try members.encode(self.finish, forKey: .finish)
        try members.encode(self.message, forKey: .message)
        try members.encode(self.processingTimeMs, forKey: .processingTimeMs)
    }

    private var message: String {
        self.idempotent ? "The purchase was already credited." : "The purchase has been credited."
    }
}

extension Problem {
    /// Returns the refusal of a valid proof that grants nothing.
    ///
    /// Its member `finish` is `true` if the decision is permanent.
    fileprivate static func nothingGranted(_ result: PurchaseIntake.Result) -> Problem {
        let outcome = result.concerned.first
        let reason = outcome?.reason ?? result.verified.unreadable.first?.reason.rawValue ?? "skipped"
        let finished = ReceiptResult.finished(result.outcomes)
        var members: [String: JSONValue] = [
            "reason": .text(reason), "finish": .bool(outcome.map { finished.contains($0.transactionID) } ?? false),
        ]
        members["transaction_id"] = outcome.map { .text($0.transactionID) }
        return Problem(
            .unprocessableContent,
            "nothing-granted",
            "The purchase grants nothing: \(reason).",
            members: members
        )
    }
}
