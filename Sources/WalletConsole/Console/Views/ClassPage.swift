import Foundation
import JSON
import Wallet

/// The values of the page for a class, with its roster and waitlist.
struct ClassPage: Sendable {
    let title: String
    let isCancelled: Bool
    let facts: [Cell]
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
        self.isCancelled = session["status"]?.text == "cancelled"
        self.facts = Self.facts(of: session, in: visit.zone)
        let (right, now) = (visit.session.owner.right, try await api.now())
        let roster = try await api.rows(of: .roster, ["class_id": id], limit: 100)
        let bookings = roster.items.map { booking in
            var row = booking.members ?? [:]
            row["status"] = "booked"
            row["class_id"] = .text(id)
            row["starts_at"] = session["starts_at"]
            return JSONValue.object(row)
        }
        let unmarked = bookings.filter { booking in
            booking["attendance"]?.text == "unmarked" && booking["environment"]?.text == "production"
                && booking["cancelled_at"]?.text == nil
        }
        // All members attended; the exceptions are marked in the roster afterwards.
        let canMark = Self.instant("starts_at", of: session).map { $0.addingTimeInterval(-3_600) <= now } ?? false
        let ids = canMark ? unmarked.compactMap { $0["booking_id"]?.text } : []
        let all = ActionLinks.allAttended(ofClass: id, ids, right: right).map { [$0] } ?? []
        self.links = all + ActionLinks.links(forClass: session, right: right, withKeys: true)
        self.roster = Table(
            bookings,
            [
                "user_id", "attendance", "fee", "strike", "environment", "seats", "unit", "amount", "returned",
                "created_at", "cancelled_at",
            ],
            empty: self.isCancelled ? "The class had no bookings" : "No bookings yet. Users book in the app.",
            in: visit.zone
        ) { booking in
            guard booking["cancelled_at"]?.text == nil else { return [] }
            return ActionLinks.links(
                forBooking: booking,
                of: booking["user_id"]?.text ?? "",
                at: now,
                right: right
            )
        }
        self.isCut = roster.next != nil
        self.waitlist = Table(
            try await api.rows(of: .waitlist, ["class_id": id], limit: 100).items,
            ["place", "user_id", "environment", "seats", "joined_at"],
            empty: "No users on the waitlist",
            in: visit.zone
        )
    }

    private static func instant(_ name: String, of session: JSONValue) -> Date? {
        session[name]?.text.flatMap(WireJSON.instant)
    }

    /// Returns what the front desk must know of the class, each with its label.
    private static func facts(of session: JSONValue, in zone: StudioTimeZone) -> [Cell] {
        func shown(_ name: String) -> String { session[name]?.shown ?? "" }
        func fact(_ label: String, _ text: String, link: String? = nil) -> Cell? {
            text.isEmpty ? nil : Cell(text, link: link, label: label)
        }
        let times = ["starts_at", "ends_at"].map { Self.instant($0, of: session).map(zone.text) ?? "" }
        let isOneDay = times[0].prefix(10) == times[1].prefix(10)
        let held = shown("seats_held")
        let seats = [
            "\(shown("seats_sold")) of \(shown("capacity")) sold", "\(shown("seats_left")) free",
            held == "0" ? nil : "\(held) held for the waitlist",
        ]
        let prices = [("price_credits", "credit"), ("price_visits", "visit")].compactMap { name, unit in
            let price = shown(name)
            return price.isEmpty ? nil : "\(price) \(unit)\(price == "1" ? "" : "s")"
        }
        let policy = shown("policy_id")
        let series = shown("series_id")
        return [
            fact("Time", "\(times[0])–\(isOneDay ? String(times[1].dropFirst(11)) : times[1])"),
            fact("Seats", seats.compactMap { $0 }.joined(separator: ", ")),
            fact("Price", prices.joined(separator: " or ")),
            fact("Free cancellation", Self.deadline(shown("free_minutes_before"))),
            fact("Policy", policy, link: WebAddress.page("list/policies", ["policy_id": policy])),
            fact("Series", series, link: WebAddress.page("list/series", ["series_id": series])),
            fact("Cancelled", shown("cancel_reason")),
            fact("Class id", shown("class_id")),
        ].compactMap { $0 }
    }

    /// Returns a number of minutes before the start in the largest unit that divides it.
    private static func deadline(_ text: String) -> String {
        guard let minutes = Int(text) else { return "" }
        if minutes == 0 { return "until the start" }
        let units = [("day", 1_440), ("hour", 60), ("minute", 1)]
        let (unit, size) = units.first { minutes.isMultiple(of: $0.1) } ?? ("minute", 1)
        let count = minutes / size
        return "until \(count) \(unit)\(count == 1 ? "" : "s") before the start"
    }
}
