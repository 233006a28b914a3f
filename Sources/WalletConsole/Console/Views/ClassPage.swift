import JSON
import Wallet

/// The values of the page for a class, with its roster and waitlist.
struct ClassPage: Sendable {
    let title: String
    let facts: Table
    let links: [Link]
    let roster: Table
    let waitlist: Table
    /// A Boolean value that indicates whether the roster has more rows than shown.
    let isCut: Bool

    init(_ id: String, _ visit: Visit) async throws {
        let api = visit.interface
        let found = try await api.rows(of: .classes, ["class_id": id]).items
        guard let session = found.first else { throw ConsoleProblem(status: 404, title: "Class not found.") }
        self.title = session["title"]?.text ?? id
        self.facts = Table(
            found,
            [
                "class_id", "starts_at", "ends_at", "status", "capacity", "seats_sold", "seats_held", "seats_left",
                "waiting", "price_credits", "price_visits", "free_minutes_before", "policy_id", "cancel_reason",
                "series_id",
            ],
            empty: "Class not found",
            in: visit.zone
        )
        let right = visit.session.owner.right
        let roster = try await api.rows(of: .roster, ["class_id": id], limit: 100)
        let unmarked = roster.items.filter { booking in
            booking["attendance"]?.text == "unmarked" && booking["environment"]?.text == "production"
                && booking["cancelled_at"]?.text == nil
        }
        // All members attended; the exceptions are marked in the roster afterwards.
        let marks =
            unmarked.isEmpty
            ? []
            : ActionLinks.marks(
                ofClass: id,
                unmarked.compactMap { $0["booking_id"]?.text },
                "unmarked",
                in: "production",
                right: right
            ).prefix(1).map { Link(label: "All attended", address: $0.address) }
        self.links = marks + ActionLinks.links(forClass: session, right: right)
        self.roster = Table(
            roster.items,
            [
                "user_id", "attendance", "fee", "strike", "environment", "seats", "unit", "amount", "created_at",
                "returned", "cancelled_at",
            ],
            empty: session["status"]?.text == "cancelled" ? "The class had no bookings" : "No bookings yet",
            in: visit.zone
        ) { booking in
            guard booking["cancelled_at"]?.text == nil else { return [] }
            var row = booking.members ?? [:]
            row["status"] = "booked"
            row["class_id"] = .text(id)
            return ActionLinks.links(forBooking: .object(row), of: booking["user_id"]?.text ?? "", right: right)
        }
        self.isCut = roster.next != nil
        self.waitlist = Table(
            try await api.rows(of: .waitlist, ["class_id": id], limit: 100).items,
            ["place", "user_id", "environment", "seats", "joined_at"],
            empty: "No users on the waitlist",
            in: visit.zone
        )
    }
}
