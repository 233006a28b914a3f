import Foundation
import Stores
import Wallet

/// One thing that a walk does, to the model and to the database alike.
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
    /// The next bookings of one class that was cancelled or moved.
    case settle(limit: Int)
    case endUnlimited
    case putProduct(ModelProduct)
    case advance(hours: Int)
    case sweep
    case read(WalletKey)
}
