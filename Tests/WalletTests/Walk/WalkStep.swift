import Foundation
import Stores
import Wallet

/// One thing that a walk does, to the model and to the database alike.
enum WalkStep {
    case apply(StoreFact, by: Int)
    case book(NewBooking, WalletKey, idempotencyKey: String)
    case quote(NewBooking, WalletKey)
    case cancel(Int?, WalletKey)
    case adjust(ModelAdjustment, reference: String, expiresAt: Date?, reason: String)
    case setWallet(Int, credits: Int64?, visits: Int64?, reason: String?)
    case putClass(String, ClassDefinition, key: String)
    case putProduct(ModelProduct)
    case advance(hours: Int)
    case sweep
    case read(WalletKey)
}
