import Foundation
import Wallet

/// Rule 23: each limit is none unless the class sets it.
struct ModelLimits: Equatable {
    var maxSeats: Int?
    var daysAhead: Int?
    var opensMinutesBefore: Int?
    var closesMinutesBefore: Int?
    var maxOverlaps: Int?
    /// Nobody is promoted later than so many minutes before the start.
    var cutoffMinutes = 60
}

/// What an operator says that a class is to be.
struct ModelTerms: Equatable {
    var startsAt: Date
    var endsAt: Date
    var capacity: Int
    var price: SeatPrice
    var freeMinutesBefore: Int
    var limits = ModelLimits()

    var freeUntil: Date { self.before(self.freeMinutesBefore) }
    var cutoff: Date { self.before(self.limits.cutoffMinutes) }

    func before(_ minutes: Int) -> Date { self.startsAt.addingTimeInterval(Double(-minutes) * 60) }
}

/// Somebody who waits for seats.
struct ModelWaiting {
    let user: Int
    let asked: NewBooking
    /// The round of promotion that last passed them over.
    var passed = 0
}

/// A class's seats in one environment.
struct ModelSeats {
    var sold = 0
    /// Came free while somebody waited, and are for those who wait.
    var held = 0
    /// Counts how often seats were held: anyone who was passed over before is considered again.
    var round = 0
    /// Those who wait, in the order in which they came.
    var waiting: [ModelWaiting] = []
}

/// A class with its seats in each environment.
struct ModelClass {
    var terms: ModelTerms
    var seats: [WalletEnvironment: ModelSeats] = [:]
    var isCancelled = false
    /// How often it was moved while somebody had booked or waited.
    var moves = 0

    subscript(_ environment: WalletEnvironment) -> ModelSeats {
        get { self.seats[environment] ?? ModelSeats() }
        set { self.seats[environment] = newValue }
    }

    func isClosed(at now: Date) -> Bool { self.isCancelled || self.terms.startsAt <= now }

    /// Whether those who wait may still be promoted; from then on a free seat is anybody's.
    func promotes(at now: Date) -> Bool { !self.isCancelled && now < self.terms.cutoff }

    func seatsLeft(in environment: WalletEnvironment, at now: Date) -> Int {
        self.freeSeats(in: environment) - (self.promotes(at: now) ? self[environment].held : 0)
    }

    /// The seats that are not sold, held ones among them.
    func freeSeats(in environment: WalletEnvironment) -> Int { self.terms.capacity - self[environment].sold }

    /// Rule 22: seats that come free while somebody waits, and may still be promoted, are held for them.
    mutating func hold(_ seats: Int, in environment: WalletEnvironment, at now: Date) {
        let free = self.freeSeats(in: environment)
        guard
            seats > 0, !self[environment].waiting.isEmpty, self.promotes(at: now), self[environment].held < free
        else { return }
        self[environment].held = min(self[environment].held + seats, free)
        self[environment].round += 1
    }

    /// Sells seats to somebody who then waits no longer; who is promoted gets the held ones first.
    mutating func sell(_ seats: Int, to user: Int, in environment: WalletEnvironment, promoted: Bool) {
        self[environment].sold += seats
        let held = self[environment].held
        self[environment].held = min(promoted ? max(held - seats, 0) : held, self.freeSeats(in: environment))
        self.withdraw(user, in: environment)
    }

    /// Lets somebody wait no longer; once nobody waits the held seats are anybody's.
    mutating func withdraw(_ user: Int, in environment: WalletEnvironment) {
        self[environment].waiting.removeAll { $0.user == user }
        if self[environment].waiting.isEmpty { self[environment].held = 0 }
    }

    mutating func free(_ seats: Int, in environment: WalletEnvironment, at now: Date) {
        self[environment].sold -= seats
        self.hold(seats, in: environment, at: now)
    }
}
