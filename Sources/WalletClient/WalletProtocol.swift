public import Foundation

/// The operations of a user's wallet: ``WalletClient`` calls the service, `InMemoryWallet` serves previews and tests.
///
/// Every method throws ``WalletProblem`` if the wallet refuses the request and ``WalletClientError`` if no response
/// came. ``WalletClient`` documents each method. `InMemoryWallet` is in the module `WalletClientTesting`.
public protocol WalletProtocol: Sendable {
    /// The wallet that calls read and change; after a submitted purchase it is the wallet that was credited.
    var environment: WalletEnvironment { get async }
    /// Selects another wallet of the user.
    func use(_ environment: WalletEnvironment) async

    /// Reads the current balance.
    func balance() async throws -> Balance
    /// Returns the balance at a future instant.
    func forecast(at instant: Date) async throws -> Balance
    /// Returns the current balance and then each change of it.
    func balances() -> AsyncThrowingStream<Balance, any Error>
    /// Lists the wallet's ledger.
    func transactions(cursor: String?, limit: Int?) async throws -> Page<LedgerEntry>

    /// Lists the packs and passes on sale.
    func packs() async throws -> [Pack]
    /// Lists the subscription tiers on sale.
    func plans() async throws -> [Plan]
    /// Lists the products on sale, grouped for display.
    func offers() async throws -> [Offering]
    /// Returns the wallet's signature of an App Store promotional offer for this user.
    func offerSignature(productID: String, offerID: String, appAccountToken: UUID?) async throws -> OfferSignature

    /// Lists classes.
    func classes(cursor: String?, limit: Int?) async throws -> Page<ClassSession>
    /// Reads one class.
    func classSession(_ id: String) async throws -> ClassSession

    /// Books a class; sending the same intent again makes no second booking.
    func book(_ intent: BookingIntent) async throws -> BookingResult
    /// Returns the price of a booking without booking.
    func quote(_ intent: BookingIntent) async throws -> BookingQuote
    /// Lists the user's bookings and waitlist places.
    func bookings(status: BookingFilter?, cursor: String?, limit: Int?) async throws -> BookingPage
    /// Reads one booking of the user.
    func booking(_ id: UUID) async throws -> Booking
    /// Cancels a booking; cancelling it again returns the same result.
    func cancel(_ id: UUID) async throws -> BookingResult
    /// Joins the waitlist of a full class; joining again returns the same place.
    func joinWaitlist(
        of classID: String,
        seats: Int,
        payWith: PaymentMethod?,
        maxAmount: Int64?
    ) async throws -> WaitlistPlace
    /// Leaves the waitlist of a class.
    func leaveWaitlist(of classID: String) async throws

    /// Submits a proof of purchase; submitting it again grants nothing twice.
    func submit(_ proof: PurchaseProof) async throws -> ReceiptResult
    /// Restores the purchases of a deleted account to the user; a repeat restores nothing twice.
    func restore(_ proof: RestoreProof) async throws -> RestoreResult
    /// Lists the user's store purchases and their remaining amounts.
    func purchases(cursor: String?, limit: Int?) async throws -> Page<Purchase>
    /// Reads one store transaction of the user and its status.
    func purchase(_ transactionID: String) async throws -> Purchase
    /// Reads the user's subscriptions and entitlements.
    func subscriptions() async throws -> SubscriptionOverview
    /// Lists the user's passes and their uses.
    func passes(cursor: String?, limit: Int?) async throws -> Page<Pass>
    /// Spends one visit of a pass without a booking, at most once for each reference.
    func consume(_ transactionID: String, reference: String) async throws -> PassUse

    /// Merges the account of an anonymous user into the account of the signed-in user.
    func identify(anonymousToken: String) async throws -> Balance
    /// Deletes the user's account.
    func deleteAccount() async throws
}
