import Foundation
import Stores
import Wallet

extension CrowdPlan {
    /// An act that changes ownership, products, the clock or a class.
    enum Upheaval {
        case admit(Int)
        case delete(Int)
        case merge(Int, into: Int)
        case restore([StoreFact], appTransactionID: String?, by: Int)
        case tell(StoreEvent)
        /// A transfer that happened the given number of seconds ago.
        case transfer(from: Int, to: Int, secondsAgo: Double, id: String)
        case importBalance(credits: Int64, visits: Int64, of: Int, source: String)
        case release(String)
        case addProduct(String)
        case growClass(String)
        case delayClass(String)
        /// A change of all classes of the series; a skipped day cancels its class, and returns later as another class.
        case changeSeries(String, start: String, seats: Int, skipsADay: Bool)
        case setWallet(Int, credits: Int64)
        case wait(minutes: Int)
        case endPlans
        case processInbox
        case compensate([Int], amount: Int64, reference: String)
        /// Freezes one of the user's passes or plan lots.
        case freeze(Int)
        /// Ends a freeze of the user's.
        case unfreeze(Int)
        case warn
        /// Gives a class one of the policies, which later bookings copy.
        case setPolicy(String, to: String)
        /// Marks one of a class's bookings at the door.
        case mark(String, attendance: String)
        /// Checks the user in to one of their classes.
        case checkIn(Int)
        /// Waives one of the user's late cancellations.
        case waive(Int)
    }

    /// The users: UUIDs in two spellings, ids that contain each other or equal words of messages, and users who never
    /// signed in.
    static func everybody(_ random: inout SplitMix64) -> [UserID] {
        let uuids = (0..<2).map { _ in UUID(from: &random).uuidString }
        let names =
            uuids.flatMap { [$0, $0.lowercased()] } + [
                "auth0|1000", "auth0|10000", "auth0|100000000001", "auth0|1000000000012", "production", "ann", "ben",
            ] + Self.anonymous
        return names.map(UserID.init(rawValue:))
    }

    static let policyIDs = ["fees", "strikes"]
    static let anonymous = ["guest1", "guest2", "guest3", "$RCAnonymousID:0123456789abcdef"]
    private static let periodLength: TimeInterval = 2 * 3_600

    mutating func everything(_ place: String) -> Act {
        let user = self.user()
        switch Int.random(in: 0..<100, using: &self.random) {
        case 0..<20: return .apply(self.purchase(), by: user)
        case 20..<28: return .upheaval(.tell(self.message(place)))
        case 28..<40: return self.bookingOfAnybody(place)
        case 40..<48: return .cancelSome(by: user)
        case 48..<53: return .join(self.someClass(), by: user)
        case 53..<56: return self.consumption(by: user)
        case 56..<59: return self.adjustment(of: user, place)
        case 59..<61: return .sweep
        case 61: return .cancelClass(self.someClass(), key: place)
        default: return .upheaval(self.upheaval(user, place))
        }
    }

    private mutating func upheaval(_ user: Int, _ place: String) -> Upheaval {
        switch Int.random(in: 0..<59, using: &self.random) {
        case 0..<4: return .delete(user)
        case 4..<9: return .merge(self.users.count - 1 - self.below(Self.anonymous.count), into: user)
        case 9..<17:
            let proofs = (0..<Int.random(in: 1...5, using: &self.random)).map { _ in self.purchase(refunds: false) }
            return .restore(proofs, appTransactionID: self.random.chance(30) ? self.copy(self.below(3)) : nil, by: user)
        case 17..<19: return .release(self.transaction(self.below(30)))
        case 19..<22:
            let ago = self.random.pick(0, 60, 3_600, 3 * 3_600)
            return .transfer(from: self.user(), to: user, secondsAgo: Double(ago), id: "transfer \(place)")
        case 22..<24:
            let credits = Int64.random(in: 0...30, using: &self.random)
            let source = "old\(self.below(2))"
            return .importBalance(credits: credits, visits: Int64(self.below(3)), of: user, source: source)
        case 24: return .addProduct("late\(self.below(5))")
        case 25: return .growClass(self.someClass())
        case 26..<28: return .delayClass(self.someClass())
        case 28..<30: return .setWallet(user, credits: Int64(self.below(80)))
        case 30..<32: return .wait(minutes: self.random.pick(1, 20, 40))
        case 32: return .endPlans
        case 33..<35: return .processInbox
        case 38..<40:
            let users = (0..<Int.random(in: 1...5, using: &self.random)).map { _ in self.user() }
            return .compensate(users, amount: self.random.pick(3, 3, 5), reference: "compensation\(self.below(4))")
        case 40..<42: return .freeze(user)
        case 42: return .unfreeze(user)
        case 43..<45: return .warn
        case 45: return .setPolicy(self.someClass(), to: self.random.pick(Self.policyIDs[0], Self.policyIDs[1]))
        case 46..<51:
            // The first classes begin within hours, and the clock moves.
            let attendance = self.random.pick("no_show", "no_show", "attended", "excused", "unmarked")
            return .mark(self.classIDs[self.below(2)], attendance: attendance)
        case 51..<54: return .checkIn(user)
        case 54..<56: return .waive(user)
        case 56..<59:
            return .changeSeries(
                self.series.id,
                start: self.random.pick("11:00", "12:00", "12:00"),
                seats: 1 + self.below(3),
                skipsADay: self.random.chance(30)
            )
        default: return .admit(self.users.count - 1 - self.below(Self.anonymous.count))
        }
    }

    private mutating func user() -> Int { self.below(self.users.count) }

    private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self.random) }

    private mutating func someClass() -> String {
        let ids = self.classIDs + self.series.classIDs
        return ids[self.below(ids.count)]
    }

    private func copy(_ number: Int) -> String { "crowd\(self.seed).copy\(number)" }

    /// Returns one of thirty purchases: packs, passes, late catalogue products, and periods of three plans.
    private mutating func purchase(refunds: Bool = true) -> StoreFact {
        let number = self.below(30)
        let isPeriod = number >= 15
        var fact = StoreFact(
            store: .appStore,
            environment: .production,
            transactionID: self.transaction(number),
            storeProductID: self.product(number),
            kind: isPeriod ? .subscription : .oneTime,
            quantity: isPeriod ? 1 : self.random.pick(1, 1, 3),
            purchasedAt: self.now.addingTimeInterval(-5 * 3_600),
            source: .receipt,
            sourceAt: self.now.addingTimeInterval(Double(self.below(3_600)))
        )
        if isPeriod {
            let begin = self.now.addingTimeInterval(Double(number / 3 - 7) * Self.periodLength)
            fact.originalTransactionID = "crowd\(self.seed).chain\(number % 3)"
            fact.purchasedAt = begin
            fact.expiresAt = begin.addingTimeInterval(Self.periodLength)
            fact.periodType = .normal
            if self.random.chance(20) { fact.willRenew = self.random.chance(50) }
        }
        if self.random.chance(40) { fact.appTransactionID = self.copy(number % 3) }
        if self.random.chance(15) { fact.appAccountToken = UUID(uuidString: self.users[number % 4].rawValue) }
        if refunds, self.random.chance(30) {
            fact.refundedMillionths = self.random.pick(0, 333_333, 500_000, 1_000_000)
        }
        return fact
    }

    private func product(_ number: Int) -> String {
        let plan = "com.hobbyist.bookingapp.subscription."
        switch number {
        case 0..<4: return "fiveVisit"
        case 4..<10: return WalkDatabase.pack(["starter", "explorer"][number % 2])
        case 10..<15: return "late\(number % 5)"
        default: return plan + (number % 3 == 2 ? "unlimited" : "enthusiast")
        }
    }

    /// Returns a store's message about a purchase, which may name owners, only an account token, or no user.
    private mutating func message(_ place: String) -> StoreEvent {
        var fact = self.purchase()
        fact.source = .notification
        var owners: [String] = []
        if self.random.chance(70) { owners.append(self.users[self.user()].rawValue) }
        if self.random.chance(20) { owners.append(self.users[self.users.count - 1].rawValue) }
        let id = self.random.chance(15) ? "message \(self.below(10))" : "message \(place)"
        return StoreEvent(
            source: .revenueCat,
            id: id,
            type: "RENEWAL",
            statements: [StoreEvent.AttributedFact(fact: fact, owners: owners)]
        )
    }

    private mutating func bookingOfAnybody(_ place: String) -> Act {
        let new = BookingRequest(classID: self.someClass(), seats: self.random.pick(1, 1, 2))
        return .book(new, by: self.user(), key: self.random.chance(20) ? "key\(self.below(20))" : place)
    }

    private mutating func adjustment(of user: Int, _ place: String) -> Act {
        .adjust(Int64.random(in: -30...40, using: &self.random), of: user, reference: place)
    }
}
