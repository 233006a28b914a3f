import Foundation
import Wallet

/// Names one wallet: a user by number, and an environment.
struct WalletKey: Hashable {
    var user: Int
    var environment: WalletEnvironment
}

/// Names one lot for ever.
struct LotKey: Hashable {
    var wallet: WalletKey
    var lot: Int
}

/// A second, independent statement of the wallet's rules: plain values, no database.
///
/// It is written from the rules and decides everything again. What it shares with the implementation is only what the
/// database must choose: the ids of lots, whose order it needs, and the time.
struct Books {
    /// The wallet clock: a moment passes with each step, in which nothing falls due but what was given until then.
    var now: Date
    let grantsFrom: Date
    /// The account token of each user.
    let tokens: [UUID]
    /// By the stores' product id.
    var products: [String: ModelProduct] = [:]
    var claims: [ModelClaim] = []
    var wallets: [WalletKey: ModelWallet] = [:]
    var classes: [String: ModelClass] = [:]
    var bookings: [ModelBooking] = []
    var subscriptions: [SubscriptionKey: ModelSubscription] = [:]
    var adjustments: [String: ModelAdjustment] = [:]
    /// The lots that adjustments opened, by reference.
    var adjustmentLots: [String: Int] = [:]
    /// Why each adjustment was posted, by its reference.
    var adjustmentReasons: [String: String] = [:]
    /// What was imported, by source and wallet.
    var imports: [String: ModelImport] = [:]
    var operatorRequests: [String: ModelOperatorRequest] = [:]
    /// Who spent each: what one user's app wrote is not shown to another.
    var passUses: [ModelPassUse: Int] = [:]
    /// How many events of a type each wallet got.
    var events: [WalletKey: [String: Int]] = [:]
    /// How often something happened that only the model knows.
    var sights: [String: Int] = [:]
    /// How many claims have been granted, to know which was first.
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

    /// Anyone who locks a wallet posts its due expiries first.
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

/// A refusal: status, slug, and the members that explain it, as text.
struct ModelRefusal: Error, Equatable {
    var status: Int
    var slug: String
    var members: [String: String] = [:]
}
