import Foundation
import Wallet

/// Identifies one wallet: a user by number, and an environment.
struct WalletKey: Hashable {
    var user: Int
    var environment: WalletEnvironment
}

/// Identifies one lot permanently.
struct LotKey: Hashable {
    var wallet: WalletKey
    var lot: Int
}

/// A second, independent implementation of the wallet's rules: plain values, no database.
///
/// It is written from the rules and makes every decision itself. It takes only two inputs from the database: the ids of
/// lots, whose order it needs, and the time.
struct Books {
    /// The wallet clock.
    ///
    /// A moment passes with each step; in it, only lots that were given until then fall due.
    var now: Date
    let grantsFrom: Date
    /// The account token of each user.
    let tokens: [UUID]
    /// The products by the stores' product id.
    var products: [String: ModelProduct] = [:]
    var claims: [ModelClaim] = []
    var wallets: [WalletKey: ModelWallet] = [:]
    var classes: [String: ModelClass] = [:]
    var policies: [String: ModelPolicy] = [:]
    var bookings: [ModelBooking] = []
    var subscriptions: [SubscriptionKey: ModelSubscription] = [:]
    var adjustments: [String: ModelAdjustment] = [:]
    /// The lots that adjustments opened, by the adjustment's reference.
    var adjustmentLots: [String: Int] = [:]
    /// The reason of each adjustment, by the adjustment's reference.
    var adjustmentReasons: [String: String] = [:]
    /// The imported balances, by source and wallet.
    var imports: [String: ModelImport] = [:]
    var operatorRequests: [String: ModelOperatorRequest] = [:]
    /// The user of each pass use; one user's references are not shown to another.
    var passUses: [ModelPassUse: Int] = [:]
    /// The number of events of each type for each wallet.
    var events: [WalletKey: [String: Int]] = [:]
    /// The number of times that each event visible only to the model occurred.
    var sights: [String: Int] = [:]
    /// The users who came with a token, and how.
    var identities: [Int: ModelIdentity] = [:]
    /// The users whose account was merged, and the owner of the account now.
    var mergedUsers: [Int: Int] = [:]
    /// The ledgers of merged wallets.
    var closed: [WalletKey: ModelClosedLedger] = [:]
    /// Who named each user first.
    var namedBy: [Int: String] = [:]
    /// The number of claims granted so far, to determine which was first.
    var grants = 0

    init(now: Date, grantsFrom: Date, tokens: [UUID]) {
        self.now = now
        self.grantsFrom = grantsFrom
        self.tokens = tokens
    }

    subscript(_ key: WalletKey) -> ModelWallet {
        get { self.wallets[key] ?? ModelWallet() }
        set { self.wallets[key] = newValue }
    }

    /// Posts due expiries, as every function does that locks a wallet.
    mutating func lock(_ key: WalletKey) {
        self[key].lapseDue(at: self.now)
    }

    mutating func note(_ sight: String) { self.sights[sight, default: 0] += 1 }

    mutating func tell(_ event: String, _ key: WalletKey) {
        self.events[key, default: [:]][event, default: 0] += 1
    }

    mutating func sweep() {
        for key in self.wallets.keys { self.lock(key) }
    }
}

/// A refusal: status, slug, and its explanatory members as text.
struct ModelRefusal: Error, Equatable {
    var status: Int
    var slug: String
    var members: [String: String] = [:]
}
