public import Foundation

/// What an app asks of a wallet: ``WalletClient`` asks the service, `InMemoryWallet` of `WalletClientTesting` answers
/// previews and tests without one.
///
/// Every method throws ``WalletProblem`` for what the wallet refused and ``WalletClientError`` where no answer came;
/// ``WalletClient`` documents each.
public protocol WalletProtocol: Sendable {
    /// The wallet that is read and written; it follows the store of what was submitted.
    var environment: WalletEnvironment { get async }
    /// Goes on with another wallet of the user.
    func use(_ environment: WalletEnvironment) async

    /// Reads what the wallet holds.
    func balance() async throws -> Balance
    /// Returns what the wallet will hold at an instant ahead.
    func forecast(at instant: Date) async throws -> Balance
    /// Returns what the wallet holds, now and whenever it changes.
    func balances() -> AsyncThrowingStream<Balance, any Error>
    /// Lists the wallet's ledger.
    func transactions(cursor: String?, limit: Int?) async throws -> Page<LedgerEntry>

    /// Lists the packs and passes on sale.
    func packs() async throws -> [Pack]
    /// Lists the subscription tiers on sale.
    func plans() async throws -> [Plan]
    /// Lists what is on sale, grouped as an app shows it.
    func offers() async throws -> [Offering]
    /// Signs an App Store promotional offer for this user.
    func offerSignature(productID: String, offerID: String, appAccountToken: UUID?) async throws -> OfferSignature

    /// Lists classes.
    func classes(cursor: String?, limit: Int?) async throws -> Page<ClassSession>
    /// Reads one class.
    func classSession(_ id: String) async throws -> ClassSession

    /// Books a class, at most once however often the same intent is sent.
    func book(_ intent: BookingIntent) async throws -> BookingResult
    /// Asks what a booking would cost, and changes nothing.
    func quote(_ intent: BookingIntent) async throws -> BookingQuote
    /// Lists the user's bookings, and what the user waits for.
    func bookings(status: BookingFilter?, cursor: String?, limit: Int?) async throws -> BookingPage
    /// Reads one booking of the user.
    func booking(_ id: UUID) async throws -> Booking
    /// Cancels a booking; cancelling it again answers the same.
    func cancel(_ id: UUID) async throws -> BookingResult
    /// Waits for seats of a full class; joining again answers the same place.
    func joinWaitlist(
        of classID: String,
        seats: Int,
        payWith: PaymentMethod?,
        maxAmount: Int64?
    ) async throws -> WaitlistPlace
    /// Waits no longer for a class.
    func leaveWaitlist(of classID: String) async throws

    /// Submits a proof of purchase; submitting it again grants nothing twice.
    func submit(_ proof: PurchaseProof) async throws -> ReceiptResult
    /// Brings back what a deleted account left behind; again it brings nothing twice.
    func restore(_ proof: RestoreProof) async throws -> RestoreResult
    /// Lists the user's store purchases and what is left of them.
    func purchases(cursor: String?, limit: Int?) async throws -> Page<Purchase>
    /// Reads what became of one store transaction of the user.
    func purchase(_ transactionID: String) async throws -> Purchase
    /// Reads the user's subscriptions and what they open.
    func subscriptions() async throws -> SubscriptionOverview
    /// Lists the user's passes with what they were used for.
    func passes(cursor: String?, limit: Int?) async throws -> Page<Pass>
    /// Spends one visit of a pass without a booking, once for a reference.
    func consume(_ transactionID: String, reference: String) async throws -> PassUse

    /// Moves what an anonymous user has into the account of the user who has signed in.
    func identify(anonymousToken: String) async throws -> Balance
    /// Deletes the user's account.
    func deleteAccount() async throws
}
