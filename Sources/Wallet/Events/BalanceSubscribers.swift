/// The wallets that somebody follows, and which of them have to be read again.
struct BalanceSubscribers: Sendable {
    typealias Tell = @Sendable (BalanceUpdate) -> Void

    /// A wallet as notifications name it.
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
        var followers: [(id: Int, tell: Tell)] = []
        var isDue = false
    }

    private var wallets: [Key: Wallet] = [:]
    private var due: [Key] = []
    private var nextID = 0

    /// Adds a follower; the wallet is read soon, whatever others have been sent.
    mutating func add(_ user: UserID, _ key: Key, _ tell: @escaping Tell) -> Int {
        let id = self.nextID
        self.nextID += 1
        self.wallets[key, default: Wallet(user: user)].followers.append((id, tell))
        self.note(key)
        return id
    }

    mutating func remove(_ id: Int, from key: Key) {
        self.wallets[key]?.followers.removeAll { $0.id == id }
        if self.wallets[key]?.followers.isEmpty == true { self.wallets[key] = nil }
    }

    /// Has a wallet read again, if anybody follows it; however often it is noted meanwhile, it is read once.
    mutating func note(_ key: Key) {
        guard self.wallets[key]?.isDue == false else { return }
        self.wallets[key]?.isDue = true
        self.due.append(key)
    }

    mutating func noteAll() {
        for key in self.wallets.keys { self.note(key) }
    }

    /// Takes the wallets that have waited longest.
    mutating func takeDue(_ limit: Int) -> [Due] {
        var taken: [Due] = []
        let keys = self.due.prefix(limit)
        self.due.removeFirst(keys.count)
        for key in keys {
            // Somebody may have stopped following it meanwhile.
            guard let wallet = self.wallets[key], wallet.isDue else { continue }
            self.wallets[key]?.isDue = false
            taken.append(Due(key: key, user: wallet.user))
        }
        return taken
    }

    func followers(of key: Key) -> [Tell] {
        self.wallets[key]?.followers.map(\.tell) ?? []
    }
}
