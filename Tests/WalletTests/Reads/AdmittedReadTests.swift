import Foundation
import Logging
import Postgres
import Stores
import TestSupport
import Testing

@testable import Wallet

/// Tests reads whose account the service remembered with the token: they follow later changes of that account.
@Suite(.serialized) struct AdmittedReadTests {
    private static let guest = UserID(rawValue: "guest")

    /// The kinds of reads; each returns the number of items that a caller sees.
    private static let kinds: [(name: String, read: @Sendable (Wallet, Caller) async throws -> Int)] = [
        ("balance", { try await $0.balance(of: $1, in: .production).lots.count }),
        (
            "bookings",
            { try await $0.bookings(of: $1, in: .production, filter: nil, page: PageRequest()).bookings.items.count }
        ),
        ("transactions", { try await $0.transactions(of: $1, in: .production, page: PageRequest()).items.count }),
        ("passes", { try await $0.passes(of: $1, in: .production, page: PageRequest()).items.count }),
        ("subscriptions", { try await $0.subscriptions(of: $1, in: .production).subscriptions.count }),
    ]

    /// Reads each kind of data; returns `kind: items` or `kind: slug of the refusal`.
    private static func read(_ wallet: Wallet, _ caller: Caller) async throws -> [String] {
        var answers: [String] = []
        for kind in Self.kinds {
            switch try await outcome({ try await kind.read(wallet, caller) }) {
            case .success(let count): answers.append("\(kind.name): \(count)")
            case .failure(let error): answers.append("\(kind.name): \(error.slug)")
            }
        }
        return answers
    }

    private static func answers(_ answer: String) -> [String] {
        Self.kinds.map { "\($0.name): \(answer)" }
    }

    /// Gives a user a pack, a pass, a plan and a booking, and reads them, which remembers the account.
    private static func settle(_ user: UserID, _ caller: Caller, in database: WalkDatabase) async throws {
        try await database.buy(for: user, "pack \(user.rawValue)")
        try await database.buy("threeVisit", for: user, "pass \(user.rawValue)")
        var plan = try await database.fact("plan \(user.rawValue)", "com.hobbyist.bookingapp.subscription.explorer")
        plan.kind = .subscription
        plan.originalTransactionID = plan.transactionID
        plan.expiresAt = plan.purchasedAt.addingTimeInterval(30 * 86_400)
        _ = try await database.wallet.apply(plan, submittedBy: user)
        _ = try await database.wallet.book(BookingRequest(classID: "yoga"), for: user, in: .production, key: "k")
        #expect(
            try await Self.read(database.wallet, caller)
                == ["balance: 3", "bookings: 1", "transactions: 4", "passes: 1", "subscriptions: 1"]
        )
        #expect(caller.account?.known != nil)
    }

    @Test func `a read remembers its account, and the next read uses it`() async throws {
        try await withWalkDatabase { database in
            try await database.buy(for: .anna, "t1")
            let caller = Caller.signedIn(.anna)
            #expect(try await database.wallet.balance(of: caller, in: .production).credits == 200)
            // No identity has that id now, so a lookup of the user would find no account.
            try await database.root.query("UPDATE wallet.identities SET user_id = 'moved' WHERE user_id = 'anna'")
            #expect(try await database.wallet.balance(of: caller, in: .production).credits == 200)
        }
    }

    @Test func `after a remembered account was deleted, each read is refused, and a newer token reads a new account`()
        async throws
    {
        try await withWalkDatabase { database in
            try await database.makeClass("yoga")
            let wallet = database.wallet
            let old = Caller.signedIn(.anna, issuedAt: .now - 60)
            try await Self.settle(.anna, old, in: database)
            let remembered = try #require(old.account?.known)
            try await wallet.deleteAccount(of: .anna)
            for kind in Self.kinds {
                old.account?.remember(remembered)
                let answer = try await outcome { try await kind.read(wallet, old) }
                #expect(throws: WalletError(status: 401, slug: "unauthenticated"), "\(kind.name)") {
                    try answer.get()
                }
                #expect(old.account?.known == nil, "\(kind.name)")
            }
            let new = Caller.signedIn(.anna, issuedAt: .now + 1)
            #expect(try await Self.read(wallet, new) == Self.answers("0"))
            #expect(new.account?.known == nil)
            try await database.buy(for: .anna, "t2")
            #expect(try await wallet.balance(of: new, in: .production).version == 1)
            #expect(new.account?.known?.id != remembered.id)
            old.account?.remember(remembered)
            #expect(try await Self.read(wallet, old) == Self.answers("unauthenticated"))
            #expect(try await wallet.violations().isEmpty)
        }
    }

    @Test func `after a remembered account was merged, its token is refused, and the other user reads all`()
        async throws
    {
        try await withWalkDatabase { database in
            try await database.makeClass("yoga")
            let wallet = database.wallet
            let guest = Caller(Self.guest, issuedAt: .now, isAnonymous: true, account: AdmittedAccount())
            try await wallet.admit(guest)
            try await Self.settle(Self.guest, guest, in: database)
            try await database.buy(for: .anna, "t1")
            let anna = Caller.signedIn(.anna)
            #expect(try await wallet.balance(of: anna, in: .production).lots.count == 1)
            let remembered = try #require(guest.account?.known)
            try await wallet.merge(Self.guest, into: .anna)
            for kind in Self.kinds {
                guest.account?.remember(remembered)
                let answer = try await outcome { try await kind.read(wallet, guest) }
                #expect(throws: WalletError(status: 401, slug: "unauthenticated"), "\(kind.name)") {
                    try answer.get()
                }
            }
            #expect(try await wallet.balance(of: anna, in: .production).lots.count == 4)
            let page = PageRequest()
            #expect(try await wallet.passes(of: anna, in: .production, page: page).items.count == 1)
            #expect(try await wallet.subscriptions(of: anna, in: .production).subscriptions.count == 1)
            let bookings = try await wallet.bookings(of: anna, in: .production, filter: nil, page: page).bookings
            #expect(bookings.items.count == 1)
            #expect(bookings.items.first?.slices.isEmpty == false)
            #expect(try await wallet.violations().isEmpty)
        }
    }

    @Test func `a different account with the remembered number, as after a restore, is not read`() async throws {
        try await withWalkDatabase { database in
            let wallet = database.wallet
            try await database.buy(WalkDatabase.pack("starter"), for: .anna, "t1")
            try await database.buy(for: .ben, "t2")
            let anna = Caller.signedIn(.anna)
            let ben = try #require(try await wallet.admit(Caller.signedIn(.ben)))
            anna.account?.remember(.init(id: ben.id, openedAt: ben.openedAt + 3_600))
            #expect(try await wallet.balance(of: anna, in: .production).credits == 25)
            #expect(anna.account?.known?.id != ben.id)
            anna.account?.remember(.init(id: 1_000_000, openedAt: .now))
            #expect(try await wallet.transactions(of: anna, in: .production, page: PageRequest()).items.count == 1)
        }
    }

    @Test func `a token without an account opens none by reading, and reads the account that a purchase opens`()
        async throws
    {
        try await withWalkDatabase { database in
            let wallet = database.wallet
            let caller = Caller.signedIn(.anna)
            #expect(try await Self.read(wallet, caller) == Self.answers("0"))
            #expect(try await database.root.query("SELECT FROM wallet.accounts").isEmpty)
            try await database.buy(for: .anna, "t1")
            #expect(try await wallet.balance(of: caller, in: .production).credits == 200)
            #expect(caller.account?.known != nil)
        }
    }

    @Test(.timeLimit(.minutes(10))) func `without its database each read is answered 503, and later succeeds`()
        async throws
    {
        try await PrivateCluster.create().use { cluster in try await Self.outage(of: cluster) }
    }

    private static func outage(of cluster: PrivateCluster) async throws {
        _ = try await Migrator(files: Wallet.sqlFiles, logger: .silent).migrate(url: cluster.url)
        var configuration = PoolConfiguration(url: cluster.url.replacing("postgres@", with: "wallet_service@"))
        configuration.acquireTimeout = .seconds(2)
        let pool = Pool(configuration: configuration, logger: .silent)
        let wallet = Wallet(pool: pool)
        // On a busy machine, opening the first connection may take longer than the acquire timeout.
        try await eventually("the wallet is ready") { await wallet.isReady() }
        // The first read opens the account of an anonymous user, and the second one remembers it.
        let known = Caller(Self.guest, issuedAt: .now, isAnonymous: true, account: AdmittedAccount())
        for _ in 0..<2 { _ = try await wallet.balance(of: known, in: .production) }
        #expect(known.account?.known != nil)
        let unknown = Caller.signedIn(.anna)

        try await cluster.stop()
        for caller in [known, unknown] {
            #expect(try await Self.read(wallet, caller) == Self.answers("database-unavailable"))
        }
        #expect(known.account?.known != nil)

        try await cluster.start()
        try await eventually("the wallet is ready") { await wallet.isReady() }
        for caller in [known, unknown] { #expect(try await Self.read(wallet, caller) == Self.answers("0")) }
        await pool.close()
    }
}
