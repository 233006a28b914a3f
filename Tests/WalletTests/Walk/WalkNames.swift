import Foundation
import Wallet

/// Maps the database's ids to the model's lots and bookings, so that both sides are written in the same form.
struct WalkNames {
    let userIDs: [String]
    var lots: [UUID: LotKey] = [:]
    var bookings: [UUID: Int] = [:]
    var bookingIDs: [Int: UUID] = [:]

    mutating func name(booking: Int, _ id: UUID) {
        self.bookings[id] = booking
        self.bookingIDs[booking] = id
    }

    func key(_ userID: String, _ environment: String) -> WalletKey? {
        guard
            let user = self.userIDs.firstIndex(of: userID), let environment = WalletEnvironment(rawValue: environment)
        else { return nil }
        return WalletKey(user: user, environment: environment)
    }

    func lot(_ id: UUID) -> String { self.lots[id]?.description ?? "unknown lot \(id)" }
    /// Returns the name of a use of a purchase: a booking, or a visit that an app consumed.
    func use(_ text: String) -> String {
        let words = text.split(separator: ":", maxSplits: 1)
        guard let id = words.first.flatMap({ UUID(uuidString: String($0)) }) else { return text }
        return self.booking(id) + words.dropFirst().map { ":" + $0 }.joined()
    }

    func booking(_ id: UUID) -> String { self.bookings[id].map { "booking \($0)" } ?? "unknown booking \(id)" }
}

extension WalletKey: CustomStringConvertible {
    var description: String { "user \(self.user) \(self.environment)" }
}

extension LotKey: CustomStringConvertible {
    var description: String { "\(self.wallet) lot \(self.lot)" }
}

extension Date? {
    /// The last half hour in seconds since 1970, or "never".
    ///
    /// Instants that depend on the time of a step come some moments after a half hour. The text shows only that, not
    /// how many.
    var walkText: String {
        guard let instant = self else { return "never" }
        let seconds = (instant.timeIntervalSince1970 * 10_000).rounded() / 10_000
        let half = (seconds / 1_800).rounded(.down) * 1_800
        return "\(Int(half))" + (seconds == half ? "" : " and some moments")
    }
}
