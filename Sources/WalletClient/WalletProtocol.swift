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
    /// Reads the policy of classes.
    func policy(_ id: String) async throws -> Policy

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
    /// Checks the user in to the booked class; checking in again returns the same booking.
    func checkIn(_ id: UUID) async throws -> Booking
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
    func consume(_ transactionID: String, reference: String) async throws -> ConsumeResult

    /// Merges the account of an anonymous user into the account of the signed-in user.
    func identify(anonymousToken: String) async throws -> Balance
    /// Deletes the user's account.
    func deleteAccount() async throws
}

extension WalletProtocol {
    /// Books a class.
    ///
    /// All attempts of this call use the same idempotency key. To continue the same booking in a later call, keep a
    /// ``BookingIntent`` and use ``book(_:)``.
    /// - Parameters:
    ///   - classID: The class's id.
    ///   - seats: The number of seats.
    ///   - payWith: The payment method; nil lets the wallet choose.
    ///   - maxAmount: The highest acceptable price for all seats; nil for no limit.
    ///   - idempotencyKey: The booking's key; nil creates a new one.
    /// - Returns: The booking and the balance afterwards.
    /// - Throws: ``WalletProblem``, such as `insufficient-credits`, `class-full`, `already-booked`, `price-changed`.
    public func book(
        classID: String,
        seats: Int = 1,
        payWith: PaymentMethod? = nil,
        maxAmount: Int64? = nil,
        idempotencyKey: String? = nil
    ) async throws -> BookingResult {
        try await self.book(
            BookingIntent(
                classID: classID,
                seats: seats,
                payWith: payWith,
                maxAmount: maxAmount,
                idempotencyKey: idempotencyKey
            )
        )
    }

    /// Returns the price of a booking without booking.
    /// - Parameters:
    ///   - classID: The class's id.
    ///   - seats: The number of seats.
    ///   - payWith: The payment method; nil lets the wallet choose.
    ///   - maxAmount: The highest acceptable price for all seats; nil for no limit.
    /// - Returns: The price, the lots that would pay and the balance afterwards.
    /// - Throws: The ``WalletProblem`` that the booking would throw.
    public func quote(
        classID: String,
        seats: Int = 1,
        payWith: PaymentMethod? = nil,
        maxAmount: Int64? = nil
    ) async throws -> BookingQuote {
        try await self.quote(
            BookingIntent(classID: classID, seats: seats, payWith: payWith, maxAmount: maxAmount)
        )
    }

    /// Joins the waitlist of a full class for one seat; the wallet chooses the payment method.
    /// - Parameter classID: The class's id.
    /// - Returns: The user's place on the waitlist.
    /// - Throws: ``WalletProblem``, such as `seats-available`, `already-booked`, `waitlist-closed`.
    public func joinWaitlist(of classID: String) async throws -> WaitlistPlace {
        try await self.joinWaitlist(of: classID, seats: 1, payWith: nil, maxAmount: nil)
    }

    /// Reads the first page of the classes.
    /// - Returns: The classes.
    /// - Throws: ``WalletProblem``.
    public func classes() async throws -> Page<ClassSession> {
        try await self.classes(cursor: nil, limit: nil)
    }

    /// Reads the first page of the user's bookings.
    /// - Parameter status: The bookings to list; nil for all.
    /// - Returns: The bookings and the user's waitlist places.
    /// - Throws: ``WalletProblem``.
    public func bookings(status: BookingFilter? = nil) async throws -> BookingPage {
        try await self.bookings(status: status, cursor: nil, limit: nil)
    }

    /// Reads the newest entries of the ledger.
    /// - Returns: The entries.
    /// - Throws: ``WalletProblem``.
    public func transactions() async throws -> Page<LedgerEntry> {
        try await self.transactions(cursor: nil, limit: nil)
    }

    /// Reads the first page of the user's purchases.
    /// - Returns: The purchases.
    /// - Throws: ``WalletProblem``.
    public func purchases() async throws -> Page<Purchase> {
        try await self.purchases(cursor: nil, limit: nil)
    }

    /// Reads the first page of the user's passes.
    /// - Returns: The passes.
    /// - Throws: ``WalletProblem``.
    public func passes() async throws -> Page<Pass> {
        try await self.passes(cursor: nil, limit: nil)
    }
}

extension WalletProtocol {
    /// Submits a transaction that the App Store signed; submitting it again grants nothing twice.
    /// - Parameter signedTransaction: The signed transaction (`jwsRepresentation` in StoreKit).
    /// - Returns: The granted and the skipped transactions.
    /// - Throws: ``WalletProblem``, such as `malformed-receipt`, `wrong-app`, `transaction-already-claimed`.
    public func submit(signedTransaction: String) async throws -> ReceiptResult {
        try await self.submit(.signedTransaction(signedTransaction))
    }

    /// Submits an App Store receipt; submitting it again grants nothing twice.
    /// - Parameters:
    ///   - receipt: The receipt in base64.
    ///   - transactionID: The id of a transaction that the receipt must contain; nil for no such requirement.
    /// - Returns: The granted and the skipped transactions.
    /// - Throws: ``WalletProblem``, such as `receipt-rejected`, `wrong-app`, `no-purchase-found`.
    public func submitReceipt(_ receipt: String, transactionID: String? = nil) async throws -> ReceiptResult {
        try await self.submit(.receipt(receipt, transactionID: transactionID))
    }

    /// Submits the id of an App Store transaction that was bought with the user's account token.
    /// - Parameter transactionID: The store's transaction id.
    /// - Returns: The granted and the skipped transactions.
    /// - Throws: ``WalletProblem``, such as `proof-of-purchase-required`, `verification-unavailable`.
    public func submit(transactionID: String) async throws -> ReceiptResult {
        try await self.submit(.transactionID(transactionID))
    }

    /// Submits a Google Play purchase; submitting it again grants nothing twice.
    ///
    /// The wallet acknowledges the purchase with the store after it has granted it. A purchase that is not paid yet is
    /// skipped with the reason `pending`.
    /// - Parameters:
    ///   - playPurchase: The purchase token.
    ///   - productID: The Google Play product id.
    /// - Returns: The granted and the skipped transactions.
    /// - Throws: ``WalletProblem``, such as `receipt-rejected`, `transaction-already-claimed`.
    public func submit(playPurchase: String, productID: String) async throws -> ReceiptResult {
        try await self.submit(.playPurchase(token: playPurchase, productID: productID))
    }

    /// Requests that the wallet read the user's purchases from RevenueCat, for purchases whose webhook is late.
    /// - Returns: The granted and the skipped transactions.
    /// - Throws: ``WalletProblem``, such as `no-purchase-found`, `verification-unavailable`.
    public func syncRevenueCat() async throws -> ReceiptResult {
        try await self.submit(.revenueCat)
    }

    /// Restores the purchases of a deleted account with an App Store receipt.
    /// - Parameter receipt: The receipt in base64.
    /// - Returns: The restored and the skipped purchases.
    /// - Throws: ``WalletProblem``, such as `no-active-subscription`, `receipt-rejected`.
    public func restore(receipt: String) async throws -> RestoreResult {
        try await self.restore(.receipt(receipt))
    }

    /// Restores the purchases of a deleted account with transactions that the App Store signed.
    /// - Parameters:
    ///   - signedTransactions: Up to 200 signed transactions (`jwsRepresentation` in StoreKit).
    ///   - appTransaction: The signed app transaction; nil if the app does not have it.
    /// - Returns: The restored and the skipped purchases.
    /// - Throws: ``WalletProblem``, such as `no-active-subscription`, `receipt-rejected`.
    public func restore(signedTransactions: [String], appTransaction: String? = nil) async throws -> RestoreResult {
        try await self.restore(.signedTransactions(signedTransactions, appTransaction: appTransaction))
    }
}
