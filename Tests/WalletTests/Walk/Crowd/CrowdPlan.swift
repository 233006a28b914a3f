import Foundation
import Stores
import Wallet

/// The acts of a crowd on shared wallets, all chosen from a seed; only their order is left to the scheduler.
struct CrowdPlan {
    enum Act {
        case apply(StoreFact, by: Int)
        case book(BookingRequest, by: Int, key: String)
        case quote(BookingRequest, by: Int)
        case cancelSome(by: Int)
        case join(String, by: Int)
        case leave(String, by: Int)
        case consume(String, reference: String, by: Int)
        case adjust(Int64, of: Int, reference: String)
        case resize(String, seats: Int, key: String)
        case cancelClass(String, key: String)
        case sweep
        case upheaval(Upheaval)
    }

    enum Scope {
        /// Acts that leave every purchase and booking with its user, so that the answers can be added up.
        case shop
        /// All acts, including deletions, merges, restores and transfers.
        case everything
    }

    /// The number of the shop user who only waits for seats and can never pay.
    private static let penniless = 6

    let seed: UInt64
    let now: Date
    let users: [UserID]
    let classIDs: [String]
    /// The series of the crowd's studio, its first day and the ids of its first classes.
    let series: (id: String, from: String, classIDs: [String])
    /// A Boolean value that indicates whether purchases are refunded; sums from the answers alone need it false.
    let withRefunds: Bool
    private let scope: Scope
    var random: SplitMix64

    init(seed: UInt64, now: Date, scope: Scope = .shop) {
        self.seed = seed
        self.now = now
        self.random = SplitMix64(seed: seed)
        self.scope = scope
        self.users =
            scope == .everything
            ? Self.everybody(&self.random) : (0...Self.penniless).map { UserID(rawValue: "crowd\(seed).user\($0)") }
        self.classIDs = (0..<4).map { "crowd\(seed).class\($0)" }
        let days = (1...2).map { now.addingTimeInterval(Double($0) * 86_400).formatted(.iso8601.year().month().day()) }
        self.series = ("crowd\(seed).series", days[0], days.map { "crowd\(seed).series-\($0)" })
        self.withRefunds = seed % 2 == 0
    }

    /// Returns the acts of one member of the crowd, in order.
    mutating func acts(of member: Int, count: Int) -> [Act] {
        (0..<count).map { number in
            let place = "\(member).\(number)"
            return self.scope == .everything ? self.everything(place) : self.act(place)
        }
    }

    private mutating func act(_ place: String) -> Act {
        let user = Int.random(in: 0..<Self.penniless, using: &self.random)
        let id = self.classIDs[Int.random(in: 0..<self.classIDs.count, using: &self.random)]
        switch Int.random(in: 0..<100, using: &self.random) {
        case 0..<22: return self.purchase(by: user)
        case 22..<48: return self.booking()
        case 48..<51: return .quote(self.newBooking(key: user), by: user)
        case 51..<67: return .cancelSome(by: user)
        case 67..<78: return .join(id, by: self.random.chance(20) ? Self.penniless : user)
        case 78..<80: return .leave(id, by: user)
        case 80..<88: return self.consumption(by: self.random.chance(70) ? 0 : user)
        case 88..<94:
            return .adjust(
                Int64.random(in: -30...40, using: &self.random),
                of: user,
                reference: "crowd\(self.seed).\(place)"
            )
        case 94..<97:
            let seats = Int.random(in: 1...4, using: &self.random)
            return .resize(id, seats: seats, key: "crowd\(self.seed).\(place)")
        case 97: return .cancelClass(id, key: "crowd\(self.seed).\(place)")
        default: return .sweep
        }
    }

    /// Returns a purchase from a small set, so that many members report the same one; its buyer reports it most often.
    private mutating func purchase(by user: Int) -> Act {
        let number = Int.random(in: 0..<24, using: &self.random)
        return .apply(self.fact(number), by: self.random.chance(70) ? number % Self.penniless : user)
    }

    private mutating func fact(_ number: Int) -> StoreFact {
        var fact = StoreFact(
            store: .appStore,
            environment: .production,
            transactionID: self.transaction(number),
            storeProductID: number % 3 == 0 ? "fiveVisit" : WalkDatabase.pack(["starter", "explorer"][number % 2]),
            kind: .oneTime,
            quantity: 1 + number % 2,
            purchasedAt: self.now.addingTimeInterval(-3_600),
            source: .receipt,
            sourceAt: self.now.addingTimeInterval(Double(Int.random(in: 0..<60, using: &self.random)))
        )
        fact.orderID = self.random.chance(50) ? "crowd\(self.seed).o\(number)" : nil
        if self.withRefunds, self.random.chance(40) {
            fact.refundedMillionths = self.random.pick(0, 400_000, 1_000_000)
        }
        return fact
    }

    func transaction(_ number: Int) -> String { "crowd\(self.seed).t\(number)" }

    /// Returns a consumption of one of a few passes, under one of a few references.
    mutating func consumption(by user: Int) -> Act {
        let number = Int.random(in: 0..<2, using: &self.random)
        let reference = "use\(Int.random(in: 0..<8, using: &self.random))"
        return .consume(self.transaction(number * 6), reference: reference, by: user)
    }

    /// Returns a booking under one of a few keys; bookings with the same key are mostly equal.
    private mutating func booking() -> Act {
        let key = Int.random(in: 0..<36, using: &self.random)
        let user = key % Self.penniless
        var new = self.newBooking(key: key)
        if self.random.chance(5) { new.maxAmount = 1_000 }
        return .book(new, by: user, key: "key\(key)")
    }

    private func newBooking(key: Int) -> BookingRequest {
        BookingRequest(classID: self.classIDs[(key / Self.penniless) % self.classIDs.count], seats: 1 + key % 2)
    }
}
