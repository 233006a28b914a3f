import Foundation
import JSON
import Wallet

/// The values of a user's page: everything that the wallet stores about the user.
struct UserPage: Sendable {
    /// The balance of one of the user's wallets.
    struct Balance: Sendable {
        let environment: String
        let credits: String
        let visits: String
        let owed: String?
        let isUnlimited: Bool
        let version: String
        let expiring: [Cell]
    }

    let userID: String
    let balances: [Balance]
    let timeline: Table
    let lots: Table
    let bookings: Table
    let claims: Table
    let subscriptions: Table
    let flags: Table
    let actions: [Link]
    let older: String?
    let audit: String

    /// Reads the user's data and creates the page's values.
    init(_ user: String, _ visit: Visit) async throws {
        let right = visit.session.owner.right
        let asked = ["user_id": user]
        let api = visit.interface
        self.userID = user
        var balances: [Balance] = []
        for environment in [WalletEnvironment.production, .sandbox] {
            balances.append(Balance(try await api.get("balance", asked, environment: environment), environment))
        }
        self.balances = balances
        let timeline = try await api.get(
            "timeline",
            asked.merging(["limit": "25", "cursor": visit.query("before")]) { $1 }
        )
        self.timeline = Table(
            timeline["facts"]?.items ?? [],
            ["at", "fact", "amount", "unit", "balance_after", "actor", "reason", "environment"],
            empty: "No activity yet"
        )
        self.older = timeline["next_cursor"]?.text.map {
            WebAddress.page("user", ["user_id": user, "before": $0])
        }
        self.lots = Table(
            try await api.get("lots", asked.merging(["limit": "50"]) { $1 })["lots"]?.items ?? [],
            [
                "created_at", "environment", "source", "product_id", "unit", "granted", "remaining", "spent", "lapsed",
                "refunded", "owed", "expires_at",
            ],
            empty: "No lots yet"
        )
        self.bookings = Table(
            try await Self.bookings(asked, api),
            ["starts_at", "class_id", "class_title", "environment", "status", "seats", "unit", "amount", "returned"],
            empty: "No bookings yet"
        ) { ConsoleAction.links(forBooking: $0, of: user, right: right) }
        self.claims = Table(
            try await api.get("claims", asked.merging(["limit": "50"]) { $1 })["claims"]?.items ?? [],
            [
                "purchased_at", "environment", "store", "product_id", "status", "unit", "granted", "remaining", "owed",
                "released", "used_by",
            ],
            empty: "No purchases yet"
        ) { ConsoleAction.links(forClaim: $0, of: user, right: right) }
        self.subscriptions = Table(
            try await Self.subscriptions(asked, api),
            ["plan_id", "environment", "state", "will_renew", "current_period_end", "store"],
            empty: "No subscriptions yet"
        )
        self.flags = Table(
            try await api.get("flags", asked)["flags"]?.items ?? [],
            ["raised_at", "environment", "refunds", "is_blocked", "resolution", "resolved_at"],
            empty: "No review flags"
        ) { ConsoleAction.links(in: .flags, for: $0, right: right) }
        self.actions = ConsoleAction.links(forUser: user, right: right)
        self.audit = WebAddress.page("list/audit", asked)
    }

    private static func bookings(_ asked: [String: String], _ api: OperatorInterface) async throws -> [JSONValue] {
        var found: [JSONValue] = []
        for environment in [WalletEnvironment.production, .sandbox] {
            let answer = try await api.get("bookings", asked.merging(["limit": "50"]) { $1 }, environment: environment)
            found += (answer["bookings"]?.items ?? []).map { booking in
                var row = booking.members ?? [:]
                row["environment"] = .text(environment.rawValue)
                // The amount is in the booking's own unit, as in the list of all bookings.
                row["returned"] = booking["returned"]?["amount"]
                return .object(row)
            }
        }
        return found
    }

    private static func subscriptions(_ asked: [String: String], _ api: OperatorInterface) async throws -> [JSONValue] {
        var found: [JSONValue] = []
        for environment in [WalletEnvironment.production, .sandbox] {
            let answer = try await api.get("subscriptions", asked, environment: environment)
            found += (answer["subscriptions"]?.items ?? []).map { subscription in
                var row = subscription.members ?? [:]
                row["environment"] = .text(environment.rawValue)
                return .object(row)
            }
        }
        return found
    }
}

extension UserPage.Balance {
    init(_ answer: JSONValue, _ environment: WalletEnvironment) {
        self.environment = environment.rawValue
        self.credits = answer["credits"]?.shown ?? ""
        self.visits = answer["visits"]?.shown ?? ""
        let owed = [("credits", "owed_credits"), ("visits", "owed_visits")].compactMap { unit, name in
            answer[name]?.number.flatMap { $0 > 0 ? "\($0) \(unit)" : nil }
        }
        self.owed = owed.isEmpty ? nil : owed.joined(separator: ", ")
        self.isUnlimited = answer["unlimited"]?.isTrue ?? false
        self.version = answer["version"]?.shown ?? ""
        self.expiring = (answer["upcoming_expirations"]?.items ?? []).prefix(3).map { due in
            Cell(due["expires_at"], of: "expires_at").saying(
                "\(due["amount"]?.shown ?? "") \(due["unit"]?.shown ?? "")"
            )
        }
    }
}

extension Cell {
    /// Returns the same instant as text, preceded by a description.
    fileprivate func saying(_ text: String) -> Cell {
        var cell = Cell("\(text), \(self.text)")
        cell.instant = nil
        return cell
    }
}
