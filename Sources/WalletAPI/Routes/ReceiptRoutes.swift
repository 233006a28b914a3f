import Foundation
import HTTPTypes
import Hummingbird
import JSON
import StoreSync
import Stores
package import Wallet

/// Grants purchases to the caller from proofs of purchase.
///
/// - `POST /receipts` (user)
struct ReceiptRoutes {
    let wallet: Wallet
    let intake: PurchaseIntake
    let limiter: UserRateLimiter

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.post("receipts", use: self.submit)
    }

    @Sendable
    private func submit(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<ReceiptResult> {
        try await self.limiter.answer(context.user) {
            let submission = try await request.json(ReceiptSubmission.self, upTo: BodyLimit.receipts)
            let result = try await self.intake.submit(
                submission.proof(),
                naming: submission.transactionID,
                for: context.caller
            )
            let environment = WalletEnvironment(result.verified.environment)
            let holdings = try await self.wallet.holdings(of: context.user, in: environment)
            return ReceiptResult(
                outcomes: result.outcomes,
                unreadable: result.verified.unreadable,
                subscriptions: holdings.subscriptions,
                balance: holdings.balance,
                environment: environment
            )
        }
    }
}

/// The result for each transaction of a receipt.
package struct ReceiptResult: Encodable, Sendable {
    /// A transaction that was granted to the caller.
    struct Granted: Encodable, Sendable {
        let transactionID: String
        @Nullable var productID: String?
        @Nullable var unit: CreditUnit?
        let amount: Int64
        @Nullable var lotID: UUID?
        /// All lots that the purchase granted; a bundle grants several.
        let lots: [PurchaseLot]
        let duplicate: Bool

        enum CodingKeys: String, CodingKey {
            case transactionID = "transaction_id"
            case productID = "product_id"
            case unit, amount
            case lotID = "lot_id"
            case lots, duplicate
        }
    }

    /// A transaction that was not granted to the caller, with the reason.
    struct Skipped: Encodable, Sendable {
        @Nullable var transactionID: String?
        let reason: String

        enum CodingKeys: String, CodingKey {
            case transactionID = "transaction_id"
            case reason
        }
    }

    let granted: [Granted]
    let skipped: [Skipped]
    let subscriptions: [Subscription]
    /// The balance after the receipt, in the same form as in a booking's response.
    let balance: BalanceSummary
    let environment: WalletEnvironment
    /// The transactions that the app may finish, because a later submission would not change their result.
    let finish: [String]

    init(
        outcomes: [FactOutcome],
        unreadable: [VerifiedReceipt.SkippedTransaction],
        subscriptions: [Subscription],
        balance: BalanceSummary,
        environment: WalletEnvironment
    ) {
        self.granted = outcomes.filter { $0.verdict == .granted }.map(Granted.init)
        self.skipped =
            outcomes.filter { $0.verdict == .skipped }.map(Skipped.init)
            + unreadable.map { Skipped(transactionID: $0.transactionID, reason: $0.reason.rawValue) }
        self.subscriptions = subscriptions
        self.balance = balance
        self.environment = environment
        self.finish = Self.finished(outcomes)
    }

    /// Returns each transaction whose products are all decided permanently, once; the app may finish these
    /// transactions.
    package static func finished(_ outcomes: [FactOutcome]) -> [String] {
        var passedOver = Set(outcomes.filter { !Self.isFinal($0) }.map(\.transactionID))
        return outcomes.map(\.transactionID).filter { passedOver.insert($0).inserted }
    }

    private static func isFinal(_ outcome: FactOutcome) -> Bool {
        switch outcome.verdict {
        case .granted: true
        case .skipped: outcome.reason.map(Self.finalReasons.contains) ?? false
        }
    }

    /// The reasons that decide a transaction permanently.
    ///
    /// Excluded are transactions that may still be granted later: a pending payment, a blocked account, or a product
    /// missing in the catalogue. Also excluded is a token mismatch, because another user of the same device may own the
    /// purchase. A finished consumable leaves the receipt and cannot be sent again.
    private static let finalReasons: Set<String> = [
        "before-cut-over", "family-shared", "refunded", "sandbox-refused", "transaction-already-claimed",
    ]
}

extension ReceiptResult.Granted {
    init(_ outcome: FactOutcome) {
        self.init(
            transactionID: outcome.transactionID,
            productID: outcome.productID,
            unit: outcome.unit,
            amount: outcome.amount,
            lotID: outcome.lotID,
            lots: outcome.lots,
            duplicate: outcome.duplicate
        )
    }
}

extension ReceiptResult.Skipped {
    init(_ outcome: FactOutcome) {
        self.init(transactionID: outcome.transactionID, reason: outcome.reason ?? "skipped")
    }
}

/// The body of a request with a proof of purchase in exactly one form.
struct ReceiptSubmission: Decodable, Sendable {
    let store: String
    let transactionID: String?
    private let receipt: JSONValue?
    private let signedTransaction: JSONValue?
    private let signedTransactions: [JSONValue]?
    private let appTransaction: JSONValue?
    private let purchaseToken: String?
    private let productID: String?

    enum CodingKeys: String, CodingKey {
        case store
        case transactionID = "transaction_id"
        case receipt
        case signedTransaction = "signed_transaction"
        case signedTransactions = "signed_transactions"
        case appTransaction = "app_transaction"
        case purchaseToken = "purchase_token"
        case productID = "product_id"
    }

    /// The maximum number of signed transactions in one request.
    static let maximumTransactions = 200

    /// Returns the proof that was sent.
    ///
    /// - Parameter isRestoring: A Boolean value that indicates whether several signed transactions and an app
    ///   transaction are accepted.
    /// - Returns: The proof.
    /// - Throws: ``Problem`` 400 if there is no proof, more than one, or a form that does not fit the store.
    func proof(restoring isRestoring: Bool = false) throws -> PurchaseProof {
        if let id = self.transactionID, !TransactionID.isValid(id) {
            throw Problem.member("transaction_id", "must be 1 to 255 visible ASCII characters", Received(id))
        }
        switch self.store {
        case "app_store": return try self.appStoreProof(restoring: isRestoring)
        case "play_store": return try self.playStoreProof()
        case "revenuecat": return try self.revenueCatProof()
        default: throw Problem.member("store", "must be app_store, play_store or revenuecat", Received(self.store))
        }
    }

    private func appStoreProof(restoring isRestoring: Bool) throws -> PurchaseProof {
        // Some client libraries send a signed transaction in the members of the older proofs.
        var signed = try self.signedTransaction.map { [try Self.text($0, "signed_transaction")] } ?? []
        var receipt: String?
        if let text = try self.receipt.map({ try Self.text($0, "receipt") }) {
            if Self.isSigned(text) { signed.append(text) } else { receipt = text }
        }
        if let token = self.purchaseToken {
            guard Self.isSigned(token) else {
                throw Problem.member(
                    "purchase_token",
                    "is for Google Play; for app_store, send \"signed_transaction\" or \"receipt\""
                )
            }
            signed.append(token)
        }
        let isSigned = !signed.isEmpty || isRestoring && self.isSignedRestore
        guard signed.count <= 1, receipt == nil || !isSigned else {
            throw Problem.malformed("Send only one proof.")
        }
        if let receipt { return .receipt(receipt) }
        if isSigned { return try self.signedProof(signed) }
        if let id = self.transactionID { return .transactionID(id) }
        throw Problem.malformed("The member \"receipt\" or \"signed_transaction\" is required.")
    }

    private var isSignedRestore: Bool { self.signedTransactions != nil || self.appTransaction != nil }

    private func signedProof(_ first: [String]) throws -> PurchaseProof {
        let others = self.signedTransactions ?? []
        guard first.count + others.count <= Self.maximumTransactions else {
            throw Problem.member("signed_transactions", "must have at most \(Self.maximumTransactions) transactions")
        }
        return .signed(
            first + (try others.map { try Self.text($0, "signed_transaction") }),
            appTransaction: try self.appTransaction.map { try Self.text($0, "app_transaction") }
        )
    }

    private func playStoreProof() throws -> PurchaseProof {
        for case .text(let text)? in [self.receipt, self.signedTransaction, self.purchaseToken.map(JSONValue.text)]
        where Self.isSigned(text.trimmed) {
            throw Problem.malformed(
                "The App Store signed this transaction: send it as \"signed_transaction\" with the store app_store."
            )
        }
        guard self.receipt == nil, self.signedTransaction == nil, !self.isSignedRestore else {
            throw Problem.malformed("For Google Play, send the proof as \"purchase_token\".")
        }
        guard let token = self.purchaseToken, let productID = self.productID else {
            let missing = self.purchaseToken == nil ? "purchase_token" : "product_id"
            throw Problem.member(missing, "is required for play_store, which needs both product_id and purchase_token")
        }
        for (name, text) in [("purchase_token", token), ("product_id", productID)]
        where text.isEmpty || text.utf8.count > 1_500 || !text.allSatisfy(\.isASCII) {
            throw Problem.member(name, "must be 1 to 1500 ASCII characters", Received(.text(text), at: [name]))
        }
        return .purchaseToken(token, productID: productID)
    }

    private func revenueCatProof() throws -> PurchaseProof {
        guard self.receipt == nil, self.signedTransaction == nil, !self.isSignedRestore, self.purchaseToken == nil
        else {
            throw Problem.malformed("RevenueCat needs no proof; the service looks up the caller's purchases.")
        }
        return .revenueCat
    }

    /// Returns whether a text has the form of signed data.
    ///
    /// Signed data has three parts separated by dots, and the first part is a base64url-encoded object. Receipts
    /// contain no dot, and Google Play's tokens contain one.
    private static func isSigned(_ text: String) -> Bool {
        text.hasPrefix("ey") && text.utf8.count { $0 == UInt8(ascii: ".") } == 2
    }

    /// Returns the text without surrounding whitespace; throws for an object, which is an unsigned transaction.
    private static func text(_ value: JSONValue, _ name: String) throws -> String {
        switch value {
        case .text(let text): return text.trimmed
        case .object: throw Problem(.badRequest, "unsigned-transaction", "The transaction must be signed by the store.")
        default: throw Problem.member(name, "must be a string")
        }
    }
}

extension ReceiptSubmission {
    /// Decodes the members only as deep as necessary, so that a large structure instead of a text does not take
    /// seconds.
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.store = try members.decode(String.self, forKey: .store)
        self.transactionID = try members.decodeIfPresent(String.self, forKey: .transactionID)
        self.receipt = try members.decodeIfPresent(Sketch.self, forKey: .receipt)?.value
        self.signedTransaction = try members.decodeIfPresent(Sketch.self, forKey: .signedTransaction)?.value
        self.signedTransactions = try Self.signedTransactions(in: members)
        self.appTransaction = try members.decodeIfPresent(Sketch.self, forKey: .appTransaction)?.value
        self.purchaseToken = try members.decodeIfPresent(String.self, forKey: .purchaseToken)?.trimmed
        self.productID = try members.decodeIfPresent(String.self, forKey: .productID)
    }

    /// Decodes at most one more transaction than allowed; the extra one is enough to refuse the request.
    private static func signedTransactions(in members: KeyedDecodingContainer<CodingKeys>) throws -> [JSONValue]? {
        guard try members.contains(.signedTransactions) && !members.decodeNil(forKey: .signedTransactions) else {
            return nil
        }
        var list = try members.nestedUnkeyedContainer(forKey: .signedTransactions)
        var values: [JSONValue] = []
        while !list.isAtEnd, values.count <= Self.maximumTransactions {
            values.append(try list.decode(Sketch.self).value)
        }
        return values
    }

    /// A member whose text is kept; for other values, only whether the value is an object.
    private struct Sketch: Decodable {
        let value: JSONValue

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self.value = .text(text)
            } else if (try? decoder.container(keyedBy: ReceiptSubmission.CodingKeys.self)) != nil {
                self.value = .object([:])
            } else {
                self.value = .null
            }
        }
    }
}

extension String {
    /// The text without surrounding whitespace and newlines; tools that encode base64 append a newline.
    ///
    /// Foundation's `trimmingCharacters` copies the text through UTF-16, which took a seventh of the service's time for
    /// a receipt.
    package var trimmed: String {
        let isText = { (scalar: Unicode.Scalar) in !CharacterSet.whitespacesAndNewlines.contains(scalar) }
        let scalars = self.unicodeScalars
        guard let first = scalars.firstIndex(where: isText) else { return "" }
        return String(scalars[first...(scalars.lastIndex(where: isText) ?? first)])
    }
}
