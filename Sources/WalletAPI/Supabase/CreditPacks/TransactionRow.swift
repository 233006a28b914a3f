import Foundation
import Wallet

/// A change of credits in the format of the apps' history.
struct TransactionRow: Encodable, Sendable {
    @WireUUID var id: UUID
    let userID: String
    let transactionType: String
    let creditAmount: Int64
    let balanceAfter: Int64
    let referenceType: String?
    let referenceID: String?
    let description: String
    let metadata: [String: String]
    let createdAt: Date
    let amountFormatted: String
    let isPositive: Bool
    let displayType: String

    enum CodingKeys: String, CodingKey {
        case id
        case userID = "user_id"
        case transactionType = "transaction_type"
        case creditAmount = "credit_amount"
        case balanceAfter = "balance_after"
        case referenceType = "reference_type"
        case referenceID = "reference_id"
        case description, metadata
        case createdAt = "created_at"
        case amountFormatted = "amount_formatted"
        case isPositive = "is_positive"
        case displayType = "display_type"
    }

    init(_ movement: CreditMovement, of user: UserID) {
        let kind = TransactionKind(movement)
        self._id = WireUUID(wrappedValue: SupabaseText.id(of: movement.hash))
        self.userID = user.rawValue
        self.transactionType = kind.type
        self.creditAmount = movement.amount
        self.balanceAfter = movement.balanceAfter
        self.referenceType = movement.bookingID != nil ? "booking" : movement.transactionID.map { _ in "purchase" }
        self.referenceID = movement.bookingID?.wireText ?? movement.transactionID
        self.description = movement.reason ?? movement.classTitle ?? movement.productName ?? kind.name
        var metadata = ["kind": movement.kind, "version": String(movement.version)]
        metadata["lot_id"] = movement.lotID?.wireText
        metadata["source"] = movement.source
        self.metadata = metadata
        self.createdAt = movement.at
        self.amountFormatted = "\(movement.amount > 0 ? "+" : "")\(SupabaseText.amount(movement.amount, .credit))"
        self.isPositive = movement.amount > 0
        self.displayType = kind.displayType
    }
}
