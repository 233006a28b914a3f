import Foundation
import Stores
import Wallet

/// One step of a walk, for both the model and the database.
enum WalkStep {
    case apply(StoreFact, by: Int)
    case book(NewBooking, WalletKey, idempotencyKey: String)
    case quote(NewBooking, WalletKey)
    case cancel(Int?, WalletKey)
    case join(NewBooking, WalletKey)
    case leave(String, WalletKey)
    case promote(String, WalletEnvironment)
    case adjust(ModelAdjustment, reference: String, expiresAt: Date?, reason: String)
    case operate(ModelOperatorAdjustment, key: String)
    case importBalance(ModelImport, source: String)
    case setWallet(Int, credits: Int64?, visits: Int64?, reason: String?)
    case consume(String, reference: String, WalletKey)
    case putClass(String, ModelTerms, key: String)
    case cancelClass(String, reason: String, key: String)
    /// Settles the next bookings of one cancelled or moved class.
    case settle(limit: Int)
    case endUnlimited
    case putProduct(ModelProduct)
    case advance(hours: Int)
    case sweep
    case read(WalletKey)
}
