import Foundation
import Stores
import Wallet

/// Chooses a walk's steps from its seed and what the model holds; two walks of one seed are the same.
struct WalkPlan {
    let seed: UInt64
    var random: SplitMix64
    let tokens: [UUID]
    /// The walk's midnight: all that can fall due does so a whole number of hours from here, and the clock stands half an
    /// hour later, so that running time decides nothing.
    let origin: Date
    var purchases: [WalkPurchase] = []
    var requests: [(new: NewBooking, key: WalletKey, idempotencyKey: String)] = []
    var classRequests: [(id: String, definition: ClassDefinition, key: String)] = []
    var references: [String] = []
    var count = 0

    init(seed: UInt64, origin: Date) {
        self.seed = seed
        self.origin = origin
        var random = SplitMix64(seed: seed)
        self.tokens = (0..<Int.random(in: 3...5, using: &random)).map { _ in UUID(from: &random) }
        self.random = random
    }

    /// The walk's own name for something.
    mutating func name(_ kind: String) -> String {
        self.count += 1
        return "walk\(self.seed).\(kind)\(self.count)"
    }

    mutating func user() -> Int { Int.random(in: 0..<self.tokens.count, using: &self.random) }

    mutating func wallet() -> WalletKey {
        WalletKey(user: self.user(), environment: self.random.chance(75) ? .production : .sandbox)
    }

    /// The instant so many whole hours from the last whole hour of the wallet clock.
    func hours(_ hours: Int, from now: Date) -> Date {
        let passed = (now.timeIntervalSince(self.origin) / 3_600).rounded(.down)
        return self.origin.addingTimeInterval((passed + Double(hours)) * 3_600)
    }

    /// What a walk begins with: a catalogue and three classes.
    mutating func beginning(_ books: Books) -> [WalkStep] {
        var steps = self.catalogue.filter { $0.id != self.late }.map(WalkStep.putProduct)
        for _ in 0..<3 { steps.append(self.newClass(books)) }
        return steps
    }

    mutating func next(_ books: Books) -> WalkStep {
        switch Int.random(in: 0..<100, using: &self.random) {
        case 0..<15: self.newPurchase(books)
        case 15..<33: self.toldAgain(books)
        case 33..<53: self.newBooking(books)
        case 53..<58: self.quote(books)
        case 58..<64: self.repeatedBooking(books)
        case 64..<76: self.cancellation(books)
        case 76..<81: self.adjustment(books)
        case 81..<85: self.walletUpdate(books)
        case 85..<88: self.classEdit(books)
        case 88..<91: self.newClass(books)
        case 91..<93: self.productEdit(books)
        case 93..<98: self.clockMove()
        case 98: .sweep
        default: .read(self.wallet())
        }
    }
}

extension UUID {
    /// A UUID of version 4 from a seeded generator.
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
