import Foundation
import Wallet

/// Which of the model's lots and bookings the database's ids are, so that both sides can be written down alike.
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
    func booking(_ id: UUID) -> String { self.bookings[id].map { "booking \($0)" } ?? "unknown booking \(id)" }
}

extension WalletKey: CustomStringConvertible {
    var description: String { "user \(self.user) \(self.environment)" }
}

extension LotKey: CustomStringConvertible {
    var description: String { "\(self.wallet) lot \(self.lot)" }
}

extension Date? {
    /// Whole seconds since 1970, or never.
    var walkText: String { self.map { "\(Int($0.timeIntervalSince1970.rounded()))" } ?? "never" }
}
