import Foundation
import JSON
import Wallet

/// The links from the pages to the forms of actions, as far as an operator's right allows the action.
enum ActionLinks {
    private typealias Offer = (action: ActionDescription, label: String)

    /// The keys of the actions that the front desk needs most; each page has one of these actions.
    private static let keys = [
        "adjust": "a", "put-class": "n", "put-series": "n", "mark-attendance": "m", "compensate-class": "c",
    ]

    /// Returns the links to the forms of the allowed actions, filled with known values.
    private static func links(_ offers: [Offer], _ values: [String: String], _ right: OperatorRight) -> [Link] {
        offers.filter { right >= $0.action.needs }.map { offer in
            Link(label: offer.label, address: WebAddress.page("actions/\(offer.action.name)", values))
        }
    }

    /// Returns the links with the key of the first one's action.
    private static func withKey(_ links: [Link], of action: ActionDescription) -> [Link] {
        guard var first = links.first else { return [] }
        first.key = Self.keys[action.name]
        return [first] + links.dropFirst()
    }

    /// Returns the page of the object that an action changes; nil if the object has no page.
    static func page(of values: [String: String]) -> String? {
        for (name, page) in [("user_id", "user"), ("class_id", "class")] {
            if let id = values[name], !id.isEmpty { return WebAddress.page(page, [name: id]) }
        }
        if let id = values["series_id"], !id.isEmpty { return WebAddress.page("list/series", ["series_id": id]) }
        // New classes and series, which have a title, refer to a policy too.
        if let id = values["policy_id"], !id.isEmpty, values["title"] == nil {
            return WebAddress.page("list/policies", ["policy_id": id])
        }
        if values["on_date"] != nil { return WebAddress.page("list/holidays") }
        return values["product_id"].map { WebAddress.page("list/products", ["product_id": $0]) }
    }

    /// Returns the link that leads on from a completed action: to the page of the object that it changed, or to the list
    /// from which it came.
    static func next(after action: ActionDescription, _ values: [String: String]) -> Link? {
        if let address = Self.page(of: values) {
            let objects = [
                ("user_id", "the user"), ("class_id", "the class"), ("series_id", "the series"),
                ("policy_id", "the policy"), ("on_date", "holidays"), ("product_id", "the product"),
            ]
            let object = objects.first { values[$0.0].map { !$0.isEmpty } ?? false }
            return Link(label: "Open \(object?.1 ?? "the product")", address: address)
        }
        return switch action.name {
        case "resolve-flag": Link(label: "Open flags", address: WebAddress.page("list/flags", ["open": "true"]))
        case "replay-message": Link(label: "Inbox", address: WebAddress.page("list/messages"))
        case "resend-event": Link(label: "Events", address: WebAddress.page("list/events"))
        case "compensate-users": Link(label: "Compensations", address: WebAddress.page("list/compensations"))
        default: nil
        }
    }

    /// Returns the links for the actions that the operator may run on a class.
    ///
    /// - Parameters:
    ///   - session: The class's row.
    ///   - right: The operator's right.
    ///   - withKeys: A Boolean value that indicates whether the page has one class only, so that keys are unambiguous.
    /// - Returns: The links.
    static func links(forClass session: JSONValue, right: OperatorRight, withKeys: Bool = false) -> [Link] {
        let id = session["class_id"]?.text ?? ""
        let compensate = Self.links([(.compensateClass, "Compensate")], ["class_id": id], right)
        let more =
            (withKeys ? Self.withKey(compensate, of: .compensateClass) : compensate)
            + Self.links([(.putClass, "Copy")], ["copy": id], right)
        guard session["status"]?.text != "cancelled" else { return more }
        return Self.links([(.putClass, "Change"), (.cancelClass, "Cancel the class")], ["class_id": id], right) + more
    }

    /// Returns the links for a series.
    private static func links(forSeries id: String, right: OperatorRight) -> [Link] {
        let values = ["series_id": id]
        return [
            Link(label: "Classes", address: WebAddress.page("list/classes", values)),
            Link(label: "Bookings", address: WebAddress.page("list/series-bookings", values)),
        ] + Self.links([(.putSeries, "Change"), (.cancelSeries, "Cancel the series")], values, right)
            + Self.links([(.putSeries, "Copy")], ["copy": id], right)
    }

    /// Returns the links for creating objects, shown above a list.
    static func links(above list: OperatorList, right: OperatorRight) -> [Link] {
        switch list.name {
        case "classes": Self.withKey(Self.links([(.putClass, "New class")], [:], right), of: .putClass)
        case "policies": Self.links([(.putPolicy, "New policy")], [:], right)
        case "series": Self.withKey(Self.links([(.putSeries, "New series")], [:], right), of: .putSeries)
        case "holidays": Self.links([(.putHoliday, "Add a holiday")], [:], right)
        case "products": Self.links([(.putProduct, "New product")], [:], right)
        case "compensations": Self.links([(.compensateUsers, "Compensate users")], [:], right)
        case "events": Self.links([(.sendTest, "Send a test event")], [:], right)
        default: []
        }
    }

    /// Returns the links for the actions that the operator may run for a user.
    static func links(forUser user: String, right: OperatorRight) -> [Link] {
        let offers: [Offer] = [
            (.adjust, "Adjust"), (.gift, "Give a gift"), (.profile, "Change name"), (.tester, "Set tester"),
        ]
        let links = Self.links(offers, ["user_id": user], right)
        return right >= ActionDescription.adjust.needs ? Self.withKey(links, of: .adjust) : links
    }

    /// Returns the link that marks all given bookings of a class as attended; nil without bookings or right.
    static func allAttended(ofClass id: String, _ bookings: [String], right: OperatorRight) -> Link? {
        guard !bookings.isEmpty else { return nil }
        let marks = Self.marks(ofClass: id, bookings, "unmarked", in: "production", right: right)
        return marks.first.map { Link(label: "All attended", address: $0.address, key: Self.keys["mark-attendance"]) }
    }

    /// Returns the links for the actions that the operator may run on a booking.
    ///
    /// - Parameters:
    ///   - booking: The booking's row.
    ///   - user: The booked user.
    ///   - now: The time of the wallet clock; the attendance can be marked from an hour before the start.
    ///   - right: The operator's right.
    /// - Returns: The links.
    static func links(forBooking booking: JSONValue, of user: String, at now: Date, right: OperatorRight) -> [Link] {
        let values = [
            "user_id": user, "booking_id": booking["booking_id"]?.text ?? "",
            "environment": booking["environment"]?.text ?? "",
        ]
        if booking["status"]?.text == "booked" {
            let start = booking["starts_at"]?.text.flatMap(WireJSON.instant) ?? .distantPast
            let mark = Self.marks(
                ofClass: booking["class_id"]?.text ?? "",
                [booking["booking_id"]?.text ?? ""],
                booking["attendance"]?.text ?? "unmarked",
                in: booking["environment"]?.text ?? "",
                right: right
            )
            return (start.addingTimeInterval(-3_600) <= now ? mark : [])
                + Self.links([(.cancelBooking, "Cancel"), (.cancelInFull, "Cancel and return all")], values, right)
        }
        let isLate = booking["late_cancel"]?.isTrue ?? false
        let hasConsequence = booking["strike"]?.isTrue ?? false || !["", "0"].contains(booking["fee"]?.shown ?? "")
        guard isLate, booking["returned"] != booking["amount"] || hasConsequence else { return [] }
        return Self.links([(.waive, "Waive")], values, right)
    }

    /// Returns the links that mark the attendance of bookings of a class, without the mark that they have already.
    static func marks(
        ofClass classID: String,
        _ bookings: [String],
        _ attendance: String,
        in environment: String,
        right: OperatorRight
    ) -> [Link] {
        let marks = [("attended", "Attended"), ("no_show", "No-show"), ("excused", "Excused"), ("unmarked", "Unmark")]
        return marks.filter { $0.0 != attendance }.flatMap { mark, label in
            Self.links(
                [(.markAttendance, label)],
                [
                    "class_id": classID, "booking_ids": bookings.joined(separator: ", "), "attendance": mark,
                    "environment": environment, "reason": "Roster",
                ],
                right
            )
        }
    }

    /// Returns the links for the actions that the operator may run on a lot.
    static func links(forLot lot: JSONValue, of user: String, at now: Date, right: OperatorRight) -> [Link] {
        let values = [
            "user_id": user, "lot_id": lot["lot_id"]?.text ?? "", "environment": lot["environment"]?.text ?? "",
        ]
        guard ["pass", "plan"].contains(lot["source"]?.text), lot["expires_at"]?.text != nil else { return [] }
        if let end = lot["frozen_until"]?.text, let until = WireJSON.instant(end), until > now {
            return Self.links([(.unfreeze, "End the freeze")], values, right)
        }
        guard lot["remaining"]?.shown != "0" else { return [] }
        return Self.links([(.freeze, "Freeze")], values, right)
    }

    /// Returns the links for the actions that the operator may run on a purchase.
    static func links(forClaim claim: JSONValue, of user: String, right: OperatorRight) -> [Link] {
        let values = [
            "user_id": user, "claim_id": claim["claim_id"]?.shown ?? "",
            "environment": claim["environment"]?.text ?? "",
        ]
        let isReleased = claim["released"]?.isTrue ?? false
        return Self.links([isReleased ? (.keep, "Undo the release") : (.release, "Release")], values, right)
    }

    /// Returns the links for the actions that the operator may run on a row of a list.
    static func links(in list: OperatorList, for row: JSONValue, at now: Date, right: OperatorRight) -> [Link] {
        func link(_ action: ActionDescription, _ label: String, by id: String) -> [Link] {
            Self.links([(action, label)], [id: row[id]?.shown ?? ""], right)
        }
        return switch list.name {
        case "messages" where row["processed_at"]?.text == nil: link(.replay, "Try again", by: "inbox_id")
        case "events", "undelivered": link(.resend, "Send again", by: "event_id")
        case "flags" where row["resolution"]?.text == nil: link(.resolve, "Resolve", by: "flag_id")
        case "policies": link(.putPolicy, "Change", by: "policy_id")
        case "products": link(.putProduct, "Change", by: "product_id")
        case "classes", "past_classes": Self.links(forClass: row, right: right)
        case "series": Self.links(forSeries: row["series_id"]?.text ?? "", right: right)
        case "holidays": link(.removeHoliday, "Remove", by: "on_date")
        case "claims": Self.links(forClaim: row, of: row["user_id"]?.text ?? "", right: right)
        case "bookings": Self.links(forBooking: row, of: row["user_id"]?.text ?? "", at: now, right: right)
        default: []
        }
    }
}
