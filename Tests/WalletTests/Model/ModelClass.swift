import Foundation
import Wallet

/// The limits of a class (rule 23); a limit that the class does not set does not apply.
struct ModelLimits: Equatable {
    var maxSeats: Int?
    var daysAhead: Int?
    var opensMinutesBefore: Int?
    var closesMinutesBefore: Int?
    var maxOverlaps: Int?
    /// The number of minutes before the start at which promotion ends.
    var cutoffMinutes = 60
}

/// The terms of a class that an operator requests.
struct ModelTerms: Equatable {
    var startsAt: Date
    var endsAt: Date
    var capacity: Int
    var price: SeatPrice
    var freeMinutesBefore: Int
    var limits = ModelLimits()
    var policyID: String?

    var freeUntil: Date { self.before(self.freeMinutesBefore) }
    var cutoff: Date { self.before(self.limits.cutoffMinutes) }

    func before(_ minutes: Int) -> Date { self.startsAt.addingTimeInterval(Double(-minutes) * 60) }
}

/// A user who waits for seats.
struct ModelWaiting {
    var user: Int
    let asked: BookingRequest
    /// The promotion round that last passed over the user.
    var passed = 0
}

/// A class's seats in one environment.
struct ModelSeats {
    var sold = 0
    /// Freed seats that are reserved for the waitlist.
    var held = 0
    /// The number of times that seats were held; each new round considers passed-over users again.
    var round = 0
    /// The waiting users in order of arrival.
    var waiting: [ModelWaiting] = []
}

/// A class with its seats in each environment.
struct ModelClass {
    var terms: ModelTerms
    /// The current terms of the class's policy.
    var policy: ModelPolicy?
    var seats: [WalletEnvironment: ModelSeats] = [:]
    var isCancelled = false
    /// The number of moves while users had booked or waited.
    var moves = 0

    subscript(_ environment: WalletEnvironment) -> ModelSeats {
        get { self.seats[environment] ?? ModelSeats() }
        set { self.seats[environment] = newValue }
    }

    func isClosed(at now: Date) -> Bool { self.isCancelled || self.terms.startsAt <= now }

    /// A Boolean value that indicates whether waiting users may still be promoted; afterwards free seats are open to
    /// all.
    func promotes(at now: Date) -> Bool { !self.isCancelled && now < self.terms.cutoff }

    func seatsLeft(in environment: WalletEnvironment, at now: Date) -> Int {
        self.freeSeats(in: environment) - (self.promotes(at: now) ? self[environment].held : 0)
    }

    /// Returns the number of unsold seats, including held ones.
    func freeSeats(in environment: WalletEnvironment) -> Int { self.terms.capacity - self[environment].sold }

    /// Holds freed seats for waiting users who may still be promoted (rule 22).
    mutating func hold(_ seats: Int, in environment: WalletEnvironment, at now: Date) {
        let free = self.freeSeats(in: environment)
        guard
            seats > 0, !self[environment].waiting.isEmpty, self.promotes(at: now), self[environment].held < free
        else { return }
        self[environment].held = min(self[environment].held + seats, free)
        self[environment].round += 1
    }

    /// Sells seats to a user and removes the user from the waitlist; a promotion takes held seats first.
    mutating func sell(_ seats: Int, to user: Int, in environment: WalletEnvironment, promoted: Bool) {
        self[environment].sold += seats
        let held = self[environment].held
        self[environment].held = min(promoted ? max(held - seats, 0) : held, self.freeSeats(in: environment))
        self.withdraw(user, in: environment)
    }

    /// Removes a user from the waitlist; if nobody waits, releases the held seats.
    mutating func withdraw(_ user: Int, in environment: WalletEnvironment) {
        self[environment].waiting.removeAll { $0.user == user }
        if self[environment].waiting.isEmpty { self[environment].held = 0 }
    }

    mutating func free(_ seats: Int, in environment: WalletEnvironment, at now: Date) {
        self[environment].sold -= seats
        self.hold(seats, in: environment, at: now)
    }
}
