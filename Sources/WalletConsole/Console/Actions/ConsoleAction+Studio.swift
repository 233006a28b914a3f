import Wallet

/// Actions on classes and the catalogue.
///
/// The form shows the current values, and the preview shows the changes.
extension ConsoleAction {
    private static let classID = Field(name: "class_id", label: "Class", kind: .given)

    static let putClass = ConsoleAction(
        name: "put-class",
        title: "Make or change a class",
        about: "A price is for later bookings only. Another start is a move: who has booked is notified, and may "
            + "cancel freely until then.",
        route: "actions/put-class",
        needs: .operator,
        // The action sets prices.
        movesMoney: true,
        fields: [
            classID, ofClass("title", "Title", .text), ofClass("starts_at", "Starts (UTC)", .instant),
            ofClass("ends_at", "Ends (UTC)", .instant), ofClass("capacity", "Seats", .integer),
            ofClass("price_credits", "Price in credits", .integer, at: ["price", "credits"], isRequired: false),
            ofClass("price_visits", "Price in visits", .integer, at: ["price", "visits"], isRequired: false),
            ofClass(
                "free_minutes_before",
                "Free to cancel until (minutes before)",
                .integer,
                at: ["cancellation", "free_minutes_before"],
                isRequired: false
            ), limit("max_seats", "Seats a booking at most"), limit("days_ahead", "Bookable days ahead"),
            limit("opens_minutes_before", "Booking opens (minutes before)"),
            limit("closes_minutes_before", "Booking closes (minutes before)"),
            limit("max_overlaps", "Other bookings at the same time"),
            ofClass(
                "waitlist_cutoff_minutes",
                "Waitlist ends (minutes before)",
                .integer,
                at: ["waitlist", "cutoff_minutes"],
                isRequired: false
            ), reason,
        ],
        source: Source(list: "classes", id: "class_id")
    )

    static let cancelClass = ConsoleAction(
        name: "cancel-class",
        title: "Cancel the class",
        about: "Nobody can book it any more, and all who have booked get everything back.",
        route: "actions/cancel-class",
        needs: .operator,
        movesMoney: true,
        fields: [classID, reason]
    )

    static let putProduct = ConsoleAction(
        name: "put-product",
        title: "Make or change a product",
        about: "What was sold keeps its terms. Kind and unit stay as they are.",
        route: "actions/put-product",
        needs: .admin,
        movesMoney: true,
        fields: [
            Field(name: "product_id", label: "Product", kind: .given),
            ofProduct("kind", "Kind", .choice(["pack", "pass", "plan"])), ofProduct("name", "Name", .text),
            ofProduct("description", "Description", .text, isRequired: false),
            ofProduct("unit", "Unit", .choice(["credit", "visit"])),
            ofProduct("amount", "Amount", .integer, isRequired: false),
            ofProduct("bonus", "Bonus", .integer, isRequired: false),
            ofProduct("price_minor", "Price in hundredths", .minor, at: ["price", "amount"]),
            ofProduct("currency", "Currency", .text, at: ["price", "currency"]),
            ofProduct("is_active", "On sale", .choice(["true", "false"])),
            ofProduct("is_popular", "Pointed out", .choice(["false", "true"])),
            ofProduct("display_order", "Place in the list", .integer, isRequired: false),
            ofProduct("app_store_id", "App Store id", .text, at: ["store_ids", "app_store"], isRequired: false),
            ofProduct("play_store_id", "Google Play id", .text, at: ["store_ids", "play_store"], isRequired: false),
            ofProduct("revenuecat_id", "RevenueCat id", .text, at: ["store_ids", "revenuecat"], isRequired: false),
            ofProduct("valid_days", "Pass: valid for days", .integer, isRequired: false),
            ofProduct("grace_days", "Days that a returned lot is open again", .integer, isRequired: false),
            ofProduct("period", "Plan: period, such as P1M", .text, isRequired: false),
            ofProduct("tier", "Plan: tier", .integer, isRequired: false),
            ofProduct("entitlements", "Plan: entitlements", .texts, isRequired: false),
            ofProduct("unlimited", "Plan: books without limit", .choice(["false", "true"])),
            ofProduct("trial_amount", "Plan: trial grants", .integer, isRequired: false),
            ofProduct("rollover_percentage", "Plan: rollover in percent", .integer, isRequired: false),
            ofProduct("rollover_cap", "Plan: rollover at most", .integer, isRequired: false),
            ofProduct("subscription_group", "Plan: group", .text, isRequired: false),
            ofProduct("days_ahead", "Plan: books days ahead", .integer, isRequired: false),
            ofProduct("commitment_amount", "Plan: a commitment billed monthly grants", .integer, isRequired: false),
            ofProduct("grant_source", "Granted by", .choice(["purchase", "virtual_currency"])), reason,
        ],
        source: Source(list: "products", id: "product_id")
    )

    private static func ofClass(
        _ name: String,
        _ label: String,
        _ kind: Field.Kind,
        at place: [String]? = nil,
        isRequired: Bool = true
    ) -> Field {
        Field(name: name, label: label, kind: kind, isRequired: isRequired, place: ["class"] + (place ?? [name]))
    }

    private static func limit(_ name: String, _ label: String) -> Field {
        self.ofClass(name, label, .integer, at: ["limits", name], isRequired: false)
    }

    private static func ofProduct(
        _ name: String,
        _ label: String,
        _ kind: Field.Kind,
        at place: [String]? = nil,
        isRequired: Bool = true
    ) -> Field {
        Field(name: name, label: label, kind: kind, isRequired: isRequired, place: ["product"] + (place ?? [name]))
    }
}
