import Foundation
import JSON
import Wallet

/// The values of a user's page: everything that the wallet stores about the user.
struct UserPage: Sendable {
    /// The balance of one of the user's wallets.
    struct WalletBalance: Sendable {
        let title: String
        let credits: String
        let visits: String
        let owed: String?
        let isUnlimited: Bool
        let version: String
        let expiring: [String]
    }

    let userID: String
    /// The name; nil if it is unknown.
    let name: String?
    let email: String?
    let balances: [WalletBalance]
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
        let known = try await api.rows(of: .users, asked).items.first
        self.name = known?["name"]?.text
        self.email = known?["email"]?.text
        let production = try await api.balance(of: user, in: .production)
        let sandbox = try await api.balance(of: user, in: .sandbox)
        // Only testers have a sandbox wallet.
        self.balances =
            sandbox.version == 0
            ? [WalletBalance(production, "Balance", visit.zone)]
            : [WalletBalance(production, "Production", visit.zone), WalletBalance(sandbox, "Sandbox", visit.zone)]
        let now = production.asOf
        let timeline = try await api.timeline(of: user, limit: 25, cursor: visit.query("before"))
        self.timeline = Table(
            timeline.items,
            ["at", "fact", "balance_after", "unit", "environment"],
            empty: "No activity yet",
            in: visit.zone
        )
        self.older = timeline.next.map { WebAddress.page("user", ["user_id": user, "before": $0]) }
        self.lots = Table(
            try await api.rows(of: .lots, asked, limit: 50).items,
            [
                "created_at", "environment", "source", "product_id", "unit", "granted", "remaining", "spent", "lapsed",
                "refunded", "owed", "expires_at", "frozen_from", "frozen_until",
            ],
            empty: "No lots yet",
            in: visit.zone
        ) { ActionLinks.links(forLot: $0, of: user, at: now, right: right) }
        self.bookings = Table(
            try await Self.bookings(of: user, api),
            ["starts_at", "class_title", "environment", "status", "seats", "unit", "amount", "returned"],
            empty: "No bookings yet",
            in: visit.zone
        ) { ActionLinks.links(forBooking: $0, of: user, at: now, right: right) }
        self.claims = Table(
            try await api.rows(of: .claims, asked, limit: 50).items,
            [
                "purchased_at", "environment", "store", "product_id", "status", "unit", "granted", "remaining", "owed",
                "released", "used_by",
            ],
            empty: "No purchases yet",
            in: visit.zone
        ) { ActionLinks.links(forClaim: $0, of: user, right: right) }
        self.subscriptions = Table(
            try await Self.subscriptions(of: user, api),
            ["product_id", "environment", "status", "will_renew", "current_period_end", "store"],
            empty: "No subscriptions yet",
            in: visit.zone
        )
        self.flags = Table(
            try await api.rows(of: .flags, asked).items,
            ["raised_at", "environment", "refunds", "is_blocked", "resolution", "resolved_at"],
            empty: "No review flags",
            in: visit.zone
        ) { ActionLinks.links(in: .flags, for: $0, at: now, right: right) }
        self.actions = ActionLinks.links(forUser: user, right: right)
        self.audit = WebAddress.page("list/audit", asked)
    }

    private static func bookings(of user: String, _ api: OperatorInterface) async throws -> [JSONValue] {
        var found: [JSONValue] = []
        for environment in [WalletEnvironment.production, .sandbox] {
            found += try await api.bookings(of: user, in: environment, limit: 50).map { booking in
                // The amounts are in the booking's own unit, as in the list of all bookings.
                .object([
                    "booking_id": .text(booking.bookingID.wireText),
                    "starts_at": .text(WireJSON.text(booking.startsAt)),
                    "class_id": .text(booking.classID), "class_title": .text(booking.classTitle),
                    "environment": .text(environment.rawValue), "status": .text(booking.status),
                    "seats": .number(Decimal(booking.seats)),
                    "unit": booking.unit.map { .text($0.rawValue) } ?? .null,
                    "amount": .number(Decimal(booking.amount)),
                    "returned": booking.returned.map { .number(Decimal($0.amount)) } ?? .null,
                    "late_cancel": .bool(booking.lateCancel),
                ])
            }
        }
        return found
    }

    private static func subscriptions(of user: String, _ api: OperatorInterface) async throws -> [JSONValue] {
        var found: [JSONValue] = []
        for environment in [WalletEnvironment.production, .sandbox] {
            found += try WireJSON.json(of: try await api.subscriptions(of: user, in: environment)).items
        }
        return found
    }
}

extension UserPage.WalletBalance {
    init(_ balance: Balance, _ title: String, _ zone: StudioTimeZone) {
        self.title = title
        self.credits = "\(balance.credits)"
        self.visits = "\(balance.visits)"
        let owed = [(balance.owedCredits, "credits"), (balance.owedVisits, "visits")].filter { $0.0 > 0 }
        self.owed = owed.isEmpty ? nil : owed.map { "\($0) \($1)" }.joined(separator: ", ")
        self.isUnlimited = balance.unlimited
        self.version = "\(balance.version)"
        self.expiring = balance.upcomingExpirations.prefix(3).map { due in
            "\(due.amount) \(due.unit.rawValue), \(zone.text(due.expiresAt))"
        }
    }
}
