import Foundation
import Stores
import Wallet

/// Chooses a walk's steps from its seed and the model's state; the same seed always gives the same walk.
struct WalkPlan {
    let seed: UInt64
    var random: SplitMix64
    /// The account tokens of the users; the last ones are guests.
    let tokens: [UUID]
    /// The users who act; guests join them when they are first named.
    var users: [Int]
    /// The time origin of the walk: everything falls due a whole number of hours after it.
    ///
    /// The clock is half an hour later, so that the test's own running time does not decide what is due.
    let origin: Date
    var purchases: [WalkPurchase] = []
    var requests: [(new: BookingRequest, key: WalletKey, idempotencyKey: String)] = []
    var classRequests: [(id: String, terms: ModelTerms, key: String)] = []
    var cancelRequests: [(id: String, key: String)] = []
    var consumptions: [(transactionID: String, reference: String, key: WalletKey)] = []
    var references: [String] = []
    var operatorAdjustments: [(asked: ModelOperatorAdjustment, key: String)] = []
    var imports: [(balance: ModelImport, source: String)] = []
    var count = 0
    private static let guests = 2

    init(seed: UInt64, origin: Date) {
        self.seed = seed
        self.origin = origin
        var random = SplitMix64(seed: seed)
        let members = Int.random(in: 3...5, using: &random)
        self.users = Array(0..<members)
        self.tokens = (0..<members + Self.guests).map { _ in UUID(from: &random) }
        self.random = random
    }

    /// Returns a name that is unique to the walk.
    mutating func name(_ kind: String) -> String {
        self.count += 1
        return "walk\(self.seed).\(kind)\(self.count)"
    }

    mutating func user() -> Int { self.users.randomElement(using: &self.random) ?? 0 }

    mutating func wallet() -> WalletKey {
        WalletKey(user: self.user(), environment: self.random.chance(80) ? .production : .sandbox)
    }

    /// Returns a wallet that can mostly pay.
    mutating func payer(_ books: Books) -> WalletKey {
        let able = books.wallets.keys.filter {
            books[$0].spendable(.credit, at: books.now) + books[$0].spendable(.visit, at: books.now) > 0
                || books.isUnlimited($0)
        }.sorted { ($0.user, $0.environment.rawValue) < ($1.user, $1.environment.rawValue) }
        guard self.random.chance(85), let payer = able.randomElement(using: &self.random) else { return self.wallet() }
        return payer
    }

    /// Returns the instant that many hours after the last whole hour of the wallet clock.
    func hours(_ hours: Int, from now: Date) -> Date {
        let passed = (now.timeIntervalSince(self.origin) / 3_600).rounded(.down)
        return self.origin.addingTimeInterval((passed + Double(hours)) * 3_600)
    }

    /// Returns the first steps of a walk: a catalogue and three classes.
    mutating func beginning(_ books: Books) -> [WalkStep] {
        var steps = self.catalogue.filter { $0.id != self.late }.map(WalkStep.putProduct)
        for id in self.policyIDs { steps.append(.putPolicy(id, self.policy())) }
        for _ in 0..<3 { steps.append(self.newClass(books)) }
        return steps
    }

    /// Returns the next step; a walk starts with purchases, so that wallets can pay.
    mutating func next(_ books: Books) -> WalkStep {
        if self.purchases.count < 5 { return self.newPurchase(books) }
        if books.classes.values.count(where: { !$0.isClosed(at: books.now) }) < 3 { return self.newClass(books) }
        return self.duty(books) ?? self.door(books) ?? self.act(books)
    }

    private mutating func act(_ books: Books) -> WalkStep {
        switch Int.random(in: 0..<100, using: &self.random) {
        case 0..<8: self.newPurchase(books)
        case 8..<20: self.toldAgain(books)
        case 20..<25: self.identity(books)
        case 25..<44: self.newBooking(books)
        case 44..<47: self.quote(books)
        case 47..<51: self.repeatedBooking(books)
        case 51..<62: self.cancellation(books)
        case 62..<66: self.joinOrLeave(books)
        case 66..<73: self.joining(books)
        case 73..<77: self.consumption(books)
        case 77..<85: self.studio(books)
        case 85..<87: self.random.chance(50) ? self.adjustment(books) : self.operatorAdjustment(books)
        case 87..<89: self.random.chance(85) ? self.attendance(books) : self.policyEdit()
        case 89: self.walletUpdate(books)
        case 90: self.importedBalance()
        case 91..<97: self.clockMove(books)
        default: self.upkeep(books)
        }
    }

    private mutating func joinOrLeave(_ books: Books) -> WalkStep {
        self.random.chance(50) ? self.joining(books) : self.leaving(books)
    }

    private mutating func studio(_ books: Books) -> WalkStep {
        switch Int.random(in: 0..<9, using: &self.random) {
        case 0..<2: self.classEdit(books)
        case 2..<5: self.move(books)
        case 5..<7: self.classCancellation(books)
        case 7: self.newClass(books)
        default: self.productEdit()
        }
    }

    private mutating func upkeep(_ books: Books) -> WalkStep {
        switch Int.random(in: 0..<5, using: &self.random) {
        case 0: .sweep
        case 1: .endUnlimited
        case 2: .settle(limit: 2)
        case 3: self.idlePromotion()
        default: .read(self.wallet())
        }
    }
}

extension UUID {
    /// Creates a version 4 UUID from a seeded generator.
    init(from random: inout SplitMix64) {
        var bytes = UUID().uuid
        withUnsafeMutableBytes(of: &bytes) { raw in
            for place in raw.indices { raw[place] = UInt8.random(in: 0...255, using: &random) }
            raw[6] = (raw[6] & 0x0F) | 0x40
            raw[8] = (raw[8] & 0x3F) | 0x80
        }
        self.init(uuid: bytes)
    }
}
