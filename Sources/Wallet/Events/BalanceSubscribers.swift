/// The followed wallets, and which of them must be read again.
struct BalanceSubscribers: Sendable {
    typealias Handler = @Sendable (BalanceUpdate) -> Void

    /// The key of a wallet in reported changes.
    struct Key: Hashable, Sendable {
        let accountID: Int64
        let environment: WalletEnvironment
    }

    /// A wallet to read.
    struct Due: Sendable {
        let key: Key
        let user: UserID
    }

    private struct Wallet: Sendable {
        let user: UserID
        var followers: [(id: Int, onUpdate: Handler)] = []
        var isDue = false
    }

    private var wallets: [Key: Wallet] = [:]
    private var due: [Key] = []
    private var nextID = 0

    /// Adds a follower; the wallet is read soon, even if other followers already have its balance.
    mutating func add(_ user: UserID, _ key: Key, _ onUpdate: @escaping Handler) -> Int {
        let id = self.nextID
        self.nextID += 1
        self.wallets[key, default: Wallet(user: user)].followers.append((id, onUpdate))
        self.note(key)
        return id
    }

    mutating func remove(_ id: Int, from key: Key) {
        self.wallets[key]?.followers.removeAll { $0.id == id }
        if self.wallets[key]?.followers.isEmpty == true { self.wallets[key] = nil }
    }

    /// Marks a wallet to be read again, if it is followed; several marks lead to one read.
    mutating func note(_ key: Key) {
        guard self.wallets[key]?.isDue == false else { return }
        self.wallets[key]?.isDue = true
        self.due.append(key)
    }

    mutating func noteAll() {
        for key in self.wallets.keys { self.note(key) }
    }

    /// Removes and returns the wallets that have waited longest.
    mutating func takeDue(_ limit: Int) -> [Due] {
        var taken: [Due] = []
        let keys = self.due.prefix(limit)
        self.due.removeFirst(keys.count)
        for key in keys {
            // The last follower may have left in the meantime.
            guard let wallet = self.wallets[key], wallet.isDue else { continue }
            self.wallets[key]?.isDue = false
            taken.append(Due(key: key, user: wallet.user))
        }
        return taken
    }

    /// The accounts of the followed wallets.
    var accounts: [Int64] { Set(self.wallets.keys.map(\.accountID)).sorted() }

    func followers(of key: Key) -> [Handler] {
        self.wallets[key]?.followers.map(\.onUpdate) ?? []
    }
}
