import Foundation
import Wallet

/// The tokens with which a user came so far; a user without an identity has only been named by others.
enum ModelIdentity: Equatable {
    case anonymous
    case signedIn
}

/// The ledger that a merged wallet leaves behind.
struct ModelClosedLedger {
    let entries: [ModelEntry]
    /// The wallet that received the lots.
    let into: WalletKey
    /// The number of the first received lot in that wallet.
    let offset: Int
}

extension Books {
    /// Returns the user who owns a user's account: another user after a merge.
    func root(_ user: Int) -> Int { self.mergedUsers[user] ?? user }

    func root(_ key: WalletKey) -> WalletKey {
        WalletKey(user: self.root(key.user), environment: key.environment)
    }

    /// Returns the account tokens of a user and of everyone who was merged into the user's account.
    func accountTokens(of user: Int) -> [UUID] {
        self.tokens.indices.filter { self.root($0) == user }.map { self.tokens[$0] }
    }

    /// Admits a token of a user (rule 32): the first token decides whether the user is anonymous, and a user who signs
    /// in is no longer anonymous.
    mutating func admit(_ user: Int, isAnonymous: Bool) -> ModelRefusal? {
        if self.mergedUsers[user] != nil { return ModelRefusal(status: 401, slug: "unauthenticated") }
        if self.identities[user] != .signedIn { self.identities[user] = isAnonymous ? .anonymous : .signedIn }
        return nil
    }

    /// Merges the account of an anonymous user into another user's account (rule 32).
    mutating func merge(_ anonymous: Int, into user: Int) -> ModelRefusal? {
        if self.mergedUsers[user] != nil { return ModelRefusal(status: 401, slug: "unauthenticated") }
        guard self.root(anonymous) != user else {
            self.identities[user] = .signedIn
            return nil
        }
        guard self.mergedUsers[anonymous] == nil, self.identities[anonymous] != .signedIn else {
            return ModelRefusal(status: 403, slug: "not-mergeable")
        }
        self.identities[user] = .signedIn
        self.note("merged, first named by \(self.namedBy[anonymous] ?? "this token")")
        let pairs = WalletEnvironment.allCases.map {
            (from: WalletKey(user: anonymous, environment: $0), to: WalletKey(user: user, environment: $0))
        }.filter { self.wallets[$0.from] != nil }
        for pair in pairs {
            self.lock(pair.from)
            self.lock(pair.to)
        }
        self.cancelDoubles(of: anonymous, user)
        for pair in pairs { self.move(pair.from, to: pair.to) }
        let blocks = pairs.map { self.blockedUntil($0.to) }
        self.moveRecords(anonymous, to: user)
        for (pair, before) in zip(pairs, blocks) where self.blockedUntil(pair.to) != before {
            // The strikes of both accounts count together.
            if self.refusalOfBlocked(pair.to) != nil { self.tell("user.booking_blocked", pair.to) }
            self.note("merged strikes")
        }
        for classID in self.classes.keys { self.mergeWaiting(classID, anonymous, into: user) }
        self.mergedUsers[anonymous] = user
        return nil
    }

    /// Cancels the anonymous user's bookings of classes that the other user has booked too; they return in full until
    /// the class begins.
    private mutating func cancelDoubles(of anonymous: Int, _ user: Int) {
        let doubles = self.bookings.indices.filter {
            let booking = self.bookings[$0]
            let key = WalletKey(user: user, environment: booking.key.environment)
            return booking.key.user == anonymous && !booking.isCancelled
                && self.standing(booking.new.classID, key) != nil
        }
        let places = doubles.sorted {
            let (left, right) = (self.bookings[$0], self.bookings[$1])
            return (left.new.classID, left.key.environment.rawValue)
                < (right.new.classID, right.key.environment.rawValue)
        }
        for number in places {
            let session = self.classes[self.bookings[number].new.classID]
            self.end(number, by: "wallet", returns: self.now < session?.terms.startsAt ?? .distantFuture)
            self.note("booked twice")
        }
    }

    private mutating func move(_ from: WalletKey, to key: WalletKey) {
        guard var old = self.wallets[from] else { return }
        if CreditUnit.allCases.contains(where: { old.owed($0) > 0 }) { self.note("merged a debt") }
        let offset = self[key].takeOver(&old, at: self.now)
        self.wallets[from] = nil
        self.closed[from] = ModelClosedLedger(entries: old.entries, into: key, offset: offset)
        for number in self.claims.indices {
            guard self.claims[number].lot?.wallet == from else { continue }
            self.claims[number].lots = self.claims[number].lots.map { LotKey(wallet: key, lot: offset + $0.lot) }
            if !self.claims[number].bundle.isEmpty { self.note("merged a bundle") }
        }
        for number in self.bookings.indices where self.bookings[number].key == from {
            self.bookings[number].slices = self.bookings[number].slices.map {
                ModelSlice(lot: offset + $0.lot, amount: $0.amount)
            }
            guard var consequence = self.bookings[number].consequence else { continue }
            consequence.slices = consequence.slices.map { ModelSlice(lot: offset + $0.lot, amount: $0.amount) }
            self.bookings[number].consequence = consequence
        }
        for (reference, adjustment) in self.adjustments where adjustment.key == from {
            self.adjustmentLots[reference]? += offset
        }
    }

    /// Moves everything but the lots to the other account; of two bookings with the same key, the other user's keeps it.
    private mutating func moveRecords(_ anonymous: Int, to user: Int) {
        for number in self.claims.indices where self.claims[number].owner == anonymous {
            self.claims[number].owner = user
        }
        for (key, subscription) in self.subscriptions where subscription.owner == anonymous {
            self.subscriptions[key]?.owner = user
            self.note("merged a subscription")
        }
        for number in self.bookings.indices where self.bookings[number].key.user == anonymous {
            let key = WalletKey(user: user, environment: self.bookings[number].key.environment)
            let used = self.bookings[number].idempotencyKey
            if self.bookings.contains(where: { $0.key == key && $0.idempotencyKey == used }) {
                self.bookings[number].idempotencyKey = "given up by \(number)"
            }
            self.bookings[number].key = key
            self.note("merged a booking")
            if self.bookings[number].consequence != nil { self.note("merged a consequence") }
        }
        for (reference, adjustment) in self.adjustments where adjustment.key.user == anonymous {
            self.adjustments[reference]?.key.user = user
        }
        for (use, consumer) in self.passUses where consumer == anonymous { self.passUses[use] = user }
        for environment in WalletEnvironment.allCases {
            self.events[WalletKey(user: anonymous, environment: environment)] = nil
        }
    }

    /// Merges the waitlist entries for a class: the earlier entry of the two stays, unless the user has booked the
    /// class.
    private mutating func mergeWaiting(_ classID: String, _ anonymous: Int, into user: Int) {
        for environment in WalletEnvironment.allCases {
            guard var waiting = self.classes[classID]?[environment].waiting else { continue }
            let own = waiting.indices.filter { [anonymous, user].contains(waiting[$0].user) }
            guard let first = own.first else { continue }
            self.note("merged a place on a waitlist")
            waiting[first].user = user
            for place in own.dropFirst().reversed() { waiting.remove(at: place) }
            self.classes[classID]?[environment].waiting = waiting
            let key = WalletKey(user: user, environment: environment)
            if self.standing(classID, key) != nil {
                self.classes[classID]?.withdraw(user, in: environment)
                self.tell("waitlist.left", key)
            }
        }
    }

    /// Records who named a user first.
    mutating func noteName(by step: WalkStep) {
        let (user, origin): (Int, String) =
            switch step {
            case .tell(_, let user): (user, "a store")
            case .adjust(let adjustment, _, _, _): (adjustment.key.user, "an operator")
            case .operate(let asked, _): (asked.adjustment.key.user, "an operator")
            case .importBalance(let balance, _): (balance.key.user, "an import")
            case .signIn(let user, _): (user, "a token")
            case .apply(_, let user): (user, "the app")
            case .book(_, let key, _), .join(_, let key): (key.user, "the app")
            default: (-1, "")
            }
        if self.namedBy[user] == nil { self.namedBy[user] = origin }
    }
}
