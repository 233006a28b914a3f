import Foundation
import JSON
import Wallet

extension ConsoleAction {
    /// Returns the link to the form, filled with known values.
    private func link(_ label: String, _ values: [String: String]) -> Link {
        Link(label: label, address: WebAddress.page("actions/\(self.name)", values))
    }

    /// Returns the page of the object that an action changes; nil if the object has no page.
    static func page(of values: [String: String]) -> String? {
        for (name, page) in [("user_id", "user"), ("class_id", "class")] {
            if let id = values[name], !id.isEmpty { return WebAddress.page(page, [name: id]) }
        }
        return values["product_id"].map { WebAddress.page("list/products", ["product_id": $0]) }
    }

    /// Returns the links for the actions that the operator may run on a class.
    static func links(forClass session: JSONValue, right: OperatorRight) -> [Link] {
        let values = ["class_id": session["class_id"]?.text ?? ""]
        guard session["status"]?.text != "cancelled" else { return [] }
        return [(putClass, "Change"), (cancelClass, "Cancel the class")].filter { right >= $0.0.needs }
            .map { $0.link($1, values) }
    }

    /// Returns the links for creating objects, shown above a list.
    static func links(above list: OperatorList, right: OperatorRight) -> [Link] {
        let possible: [(ConsoleAction, String)] =
            switch list.name {
            case "classes": [(putClass, "New class")]
            case "products": [(putProduct, "New product")]
            case "events": [(sendTest, "Send a test event")]
            default: []
            }
        return possible.filter { right >= $0.0.needs }.map { $0.link($1, [:]) }
    }

    /// Returns the links for the actions that the operator may run for a user.
    static func links(forUser user: String, right: OperatorRight) -> [Link] {
        [(adjust, "Adjust"), (gift, "Give a gift"), (tester, "Set tester")].filter { right >= $0.0.needs }
            .map { $0.link($1, ["user_id": user]) }
    }

    /// Returns the links for the actions that the operator may run on a booking.
    static func links(forBooking booking: JSONValue, of user: String, right: OperatorRight) -> [Link] {
        let values = [
            "user_id": user, "booking_id": booking["booking_id"]?.text ?? "",
            "environment": booking["environment"]?.text ?? "",
        ]
        let isBooked = booking["status"]?.text == "booked"
        let isLate = booking["late_cancel"]?.isTrue ?? false
        let possible: [(ConsoleAction, String)] =
            isBooked
            ? [(cancelBooking, "Cancel"), (cancelInFull, "Cancel and return all")]
            : isLate && booking["returned"] != booking["amount"] ? [(waive, "Waive")] : []
        return possible.filter { right >= $0.0.needs }.map { $0.link($1, values) }
    }

    /// Returns the links for the actions that the operator may run on a purchase.
    static func links(forClaim claim: JSONValue, of user: String, right: OperatorRight) -> [Link] {
        let values = [
            "user_id": user, "claim_id": claim["claim_id"]?.shown ?? "",
            "environment": claim["environment"]?.text ?? "",
        ]
        let action = claim["released"]?.isTrue ?? false ? (keep, "Undo the release") : (release, "Release")
        return right >= action.0.needs ? [action.0.link(action.1, values)] : []
    }

    /// Returns the links for the actions that the operator may run on a row of a list.
    static func links(in list: OperatorList, for row: JSONValue, right: OperatorRight) -> [Link] {
        switch list.name {
        case "messages" where row["processed_at"]?.text == nil && right >= replay.needs:
            [replay.link("Try again", ["inbox_id": row["inbox_id"]?.shown ?? ""])]
        case "events" where right >= resend.needs, "undelivered" where right >= resend.needs:
            [resend.link("Send again", ["event_id": row["event_id"]?.shown ?? ""])]
        case "flags" where row["resolution"]?.text == nil && right >= resolve.needs:
            [resolve.link("Resolve", ["flag_id": row["flag_id"]?.shown ?? ""])]
        case "products" where right >= putProduct.needs:
            [putProduct.link("Change", ["product_id": row["product_id"]?.text ?? ""])]
        case "classes": Self.links(forClass: row, right: right)
        case "claims": Self.links(forClaim: row, of: row["user_id"]?.text ?? "", right: right)
        case "all_bookings": Self.links(forBooking: row, of: row["user_id"]?.text ?? "", right: right)
        default: []
        }
    }
}
