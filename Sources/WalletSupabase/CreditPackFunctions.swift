import Foundation
import Hummingbird
import Wallet
import WalletAPI

/// The function `credit-packs`: the packs on sale, and the caller's balance, transactions and purchases.
///
/// - `GET /functions/v1/credit-packs/available` (public)
/// - `GET /functions/v1/credit-packs/balance` (user)
/// - `GET /functions/v1/credit-packs/transactions` (user)
/// - `GET /functions/v1/credit-packs/purchases` (user)
struct CreditPackFunctions {
    let wallet: Wallet

    func addPublic(to group: some RouterMethods<AppRequestContext>) {
        group.get("credit-packs/available", use: self.available)
    }

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.get("credit-packs/balance", use: self.balance)
        group.get("credit-packs/transactions", use: self.transactions)
        group.get("credit-packs/purchases", use: self.purchases)
    }

    /// Passes are excluded, because they contain visits and not credits.
    @Sendable
    private func available(
        _ request: Request,
        _ context: AppRequestContext
    ) async throws -> JSONAnswer<Envelope<[PackRow]>> {
        let packs = try await self.wallet.packs().filter { $0.unit == .credit }
        return JSONAnswer(Envelope(packs.map(PackRow.init), requestID: context.requestID))
    }

    @Sendable
    private func balance(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<BalanceRow>> {
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let standing = try await self.wallet.creditSummary(of: context.user, in: environment)
        return JSONAnswer(
            Envelope(BalanceRow(standing, of: context.user, in: environment), requestID: context.requestID)
        )
    }

    @Sendable
    private func transactions(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<[TransactionRow]>> {
        let part = try OffsetQuery.offset(request, limit: 50)
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let found = try await self.wallet.creditMovements(of: context.user, in: environment, part: part.request)
        let rows = found.items.map { TransactionRow($0, of: context.user) }
        return JSONAnswer(Envelope(rows, of: found.total, part: part, requestID: context.requestID))
    }

    @Sendable
    private func purchases(
        _ request: Request,
        _ context: UserRequestContext
    ) async throws -> JSONAnswer<Envelope<[PurchaseRow]>> {
        let part = try OffsetQuery.offset(request, limit: 20)
        let environment = try await self.wallet.environment(of: context.user, in: request)
        let found = try await self.wallet.packPurchases(of: context.user, in: environment, part: part.request)
        let rows = found.items.map { PurchaseRow($0, of: context.user) }
        return JSONAnswer(Envelope(rows, of: found.total, part: part, requestID: context.requestID))
    }
}

/// A pack on sale, under all the names that existing apps read.
private struct PackRow: Encodable, Sendable {
    @WireUUID var id: UUID
    let productID: String
    let name: String
    let description: String
    let credits: Int64
    let creditAmount: Int64
    let bonusCredits: Int64
    let totalCredits: Int64
    let price: Decimal
    let priceCents: Int64
    let priceFormatted: String
    let currency: String
    let pricePerCredit: Decimal
    let valuePerCredit: String
    let savingsPercentage: Int
    let isPopular: Bool
    let isActive = true
    let displayOrder: Int
    let appleProductID: String?
    let googleProductID: String?
    let createdAt: Date

    enum CodingKeys: String, CodingKey {
        case id
        case productID = "product_id"
        case name, description, credits
        case creditAmount = "credit_amount"
        case bonusCredits = "bonus_credits"
        case totalCredits = "total_credits"
        case price
        case priceCents = "price_cents"
        case priceFormatted = "price_formatted"
        case currency
        case pricePerCredit = "price_per_credit"
        case valuePerCredit = "value_per_credit"
        case savingsPercentage = "savings_percentage"
        case isPopular = "is_popular"
        case isActive = "is_active"
        case displayOrder = "display_order"
        case appleProductID = "apple_product_id"
        case googleProductID = "google_product_id"
        case createdAt = "created_at"
    }

    init(_ pack: Pack) {
        self._id = WireUUID(wrappedValue: SupabaseText.id(of: pack.productID))
        self.productID = pack.productID
        self.name = pack.name
        self.description = pack.description
        self.credits = pack.credits
        self.creditAmount = pack.credits
        self.bonusCredits = pack.bonusCredits
        self.totalCredits = pack.totalCredits
        self.price = pack.price.amount
        self.priceCents = SupabaseText.minor(pack.price.amount)
        self.priceFormatted = SupabaseText.decimal(pack.price.amount)
        self.currency = pack.price.currency
        self.pricePerCredit = pack.pricePerCredit
        self.valuePerCredit = SupabaseText.decimal(pack.pricePerCredit)
        self.savingsPercentage = pack.savingsPercentage
        self.isPopular = pack.isPopular
        self.displayOrder = pack.displayOrder
        self.appleProductID = pack.storeIDs.appStore
        self.googleProductID = pack.storeIDs.playStore
        self.createdAt = pack.createdAt
    }
}

/// A user's credits under the names of all tables that existing apps read.
///
/// The apps calculate `credit_balance` as `total_credits - used_credits + rollover_credits`.
private struct BalanceRow: Encodable, Sendable {
    /// The credits that expire at one instant.
    struct Expiration: Encodable, Sendable {
        let credits: Int64
        let expiresAt: Date

        enum CodingKeys: String, CodingKey {
            case credits
            case expiresAt = "expires_at"
        }
    }

    let userID: String
    let environment: WalletEnvironment
    let creditBalance: Int64
    let totalEarned: Int64
    let totalSpent: Int64
    let totalCredits: Int64
    let usedCredits: Int64
    let rolloverCredits: Int64
    let visits: Int64
    let unlimited: Bool
    let upcomingExpirations: [Expiration]
    let nextRolloverAt: Date?
    let lastActivityAt: Date?
    let createdAt: Date?
    let updatedAt: Date?

    enum CodingKeys: String, CodingKey {
        case userID = "user_id"
        case environment
        case creditBalance = "credit_balance"
        case totalEarned = "total_earned"
        case totalSpent = "total_spent"
        case totalCredits = "total_credits"
        case usedCredits = "used_credits"
        case rolloverCredits = "rollover_credits"
        case visits, unlimited
        case upcomingExpirations = "upcoming_expirations"
        case nextRolloverAt = "next_rollover_at"
        case lastActivityAt = "last_activity_at"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }

    init(_ standing: CreditSummary, of user: UserID, in environment: WalletEnvironment) {
        self.userID = user.rawValue
        self.environment = environment
        self.creditBalance = standing.credits
        self.totalEarned = standing.earned
        self.totalSpent = standing.spent
        // Expired and refunded credits are not part of the total, which is the remaining credits plus the used credits.
        self.totalCredits = standing.credits - standing.rolled + standing.spent
        self.usedCredits = standing.spent
        self.rolloverCredits = standing.rolled
        self.visits = standing.visits
        self.unlimited = standing.unlimited
        self.upcomingExpirations = standing.upcomingExpirations.filter { $0.unit == .credit }.map { expiration in
            Expiration(credits: expiration.amount, expiresAt: expiration.expiresAt)
        }
        self.nextRolloverAt = standing.nextRolloverAt
        self.lastActivityAt = standing.lastAt
        self.createdAt = standing.firstAt
        self.updatedAt = standing.lastAt
    }
}
