import Foundation
import Wallet

/// A user's credits under the names of all tables that existing apps read.
///
/// The apps calculate `credit_balance` as `total_credits - used_credits + rollover_credits`.
struct BalanceRow: Encodable, Sendable {
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
