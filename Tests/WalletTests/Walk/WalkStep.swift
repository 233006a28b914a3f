import Foundation
import Stores
import Wallet

/// One step of a walk, for both the model and the database.
enum WalkStep {
    case apply(StoreFact, by: Int)
    /// A store's message that names the owner.
    case tell(StoreFact, owner: Int)
    /// A token of a user arrives.
    case signIn(Int, isAnonymous: Bool)
    case merge(Int, into: Int)
    case book(BookingRequest, WalletKey, idempotencyKey: String)
    case quote(BookingRequest, WalletKey)
    case cancel(Int?, WalletKey)
    case join(BookingRequest, WalletKey)
    case leave(String, WalletKey)
    case promote(String, WalletEnvironment)
    case adjust(ModelAdjustment, reference: String, expiresAt: Date?, reason: String)
    case operate(ModelOperatorAdjustment, key: String)
    case importBalance(ModelImport, source: String)
    case setWallet(Int, credits: Int64?, visits: Int64?, reason: String?)
    case consume(String, reference: String, WalletKey)
    case putClass(String, ModelTerms, key: String)
    case cancelClass(String, reason: String, key: String)
    case putPolicy(String, ModelPolicy)
    case mark([Int], of: String, attendance: String, in: WalletEnvironment)
    case checkIn(Int?, WalletKey)
    case waive(Int)
    /// Settles the next bookings of one cancelled or moved class.
    case settle(limit: Int)
    case endUnlimited
    case putProduct(ModelProduct)
    case advance(hours: Int)
    case sweep
    case read(WalletKey)
}

extension WalkStep {
    /// Returns the step with the owners of merged accounts in place of the merged users.
    ///
    /// Imports and operators' keys stay with the user whom they name.
    func resolved(_ root: (Int) -> Int) -> WalkStep {
        func resolved(_ key: WalletKey) -> WalletKey {
            WalletKey(user: root(key.user), environment: key.environment)
        }
        switch self {
        case .apply(let fact, let user): return .apply(fact, by: root(user))
        case .tell(let fact, let user): return .tell(fact, owner: root(user))
        case .book(let new, let key, let idempotencyKey):
            return .book(new, resolved(key), idempotencyKey: idempotencyKey)
        case .quote(let new, let key): return .quote(new, resolved(key))
        case .cancel(let booking, let key): return .cancel(booking, resolved(key))
        case .checkIn(let booking, let key): return .checkIn(booking, resolved(key))
        case .join(let asked, let key): return .join(asked, resolved(key))
        case .leave(let classID, let key): return .leave(classID, resolved(key))
        case .adjust(var adjustment, let reference, let expiresAt, let reason):
            adjustment.key = resolved(adjustment.key)
            return .adjust(adjustment, reference: reference, expiresAt: expiresAt, reason: reason)
        case .setWallet(let user, let credits, let visits, let reason):
            return .setWallet(root(user), credits: credits, visits: visits, reason: reason)
        case .consume(let transactionID, let reference, let key):
            return .consume(transactionID, reference: reference, resolved(key))
        default: return self
        }
    }
}
