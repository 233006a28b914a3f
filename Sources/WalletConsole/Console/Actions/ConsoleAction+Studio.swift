import Wallet

/// Actions on classes and the catalogue.
///
/// The form shows the current values, and the preview shows the changes.
extension ConsoleAction {
    private static let classID = Field(name: "class_id", label: "Class", kind: .given)

    static let putClass = ConsoleAction(
        name: "put-class",
        title: "Create or change a class",
        about: "A new price applies to later bookings only. Changing the start moves the class; booked users are "
            + "notified and may cancel free of charge until the new start.",
        result: "Class saved",
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
                "Free cancellation ends (minutes before start)",
                .integer,
                at: ["cancellation", "free_minutes_before"],
                isRequired: false
            ), limit("max_seats", "Maximum seats per booking"), limit("days_ahead", "Bookable days ahead"),
            limit("opens_minutes_before", "Booking opens (minutes before start)"),
            limit("closes_minutes_before", "Booking closes (minutes before start)"),
            limit("max_overlaps", "Maximum overlapping bookings of the user"),
            ofClass(
                "waitlist_cutoff_minutes",
                "Waitlist closes (minutes before start)",
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
        about: "Closes the class to new bookings. Every booked user gets the full amount back.",
        result: "Class cancelled",
        route: "actions/cancel-class",
        needs: .operator,
        movesMoney: true,
        fields: [classID, reason]
    )

    static let putProduct = ConsoleAction(
        name: "put-product",
        title: "Create or change a product",
        about: "Earlier purchases keep their terms. The kind and unit of an existing product cannot change.",
        result: "Product saved",
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
            ofProduct("price_minor", "Price in hundredths of the currency unit", .minor, at: ["price", "amount"]),
            ofProduct("currency", "Currency", .text, at: ["price", "currency"]),
            ofProduct("is_active", "For sale", .choice(["true", "false"])),
            ofProduct("is_popular", "Featured", .choice(["false", "true"])),
            ofProduct("display_order", "Sort order", .integer, isRequired: false),
            ofProduct("app_store_id", "App Store id", .text, at: ["store_ids", "app_store"], isRequired: false),
            ofProduct("play_store_id", "Google Play id", .text, at: ["store_ids", "play_store"], isRequired: false),
            ofProduct("revenuecat_id", "RevenueCat id", .text, at: ["store_ids", "revenuecat"], isRequired: false),
            ofProduct("valid_days", "Pass: validity in days", .integer, isRequired: false),
            ofProduct(
                "grace_days",
                "Validity of expired lots after a studio cancellation (days)",
                .integer,
                isRequired: false
            ), ofProduct("period", "Plan: period, for example P1M", .text, isRequired: false),
            ofProduct("tier", "Plan: tier", .integer, isRequired: false),
            ofProduct("entitlements", "Plan: entitlements", .texts, isRequired: false),
            ofProduct("unlimited", "Plan: unlimited bookings", .choice(["false", "true"])),
            ofProduct("trial_amount", "Plan: amount granted by a trial", .integer, isRequired: false),
            ofProduct("rollover_percentage", "Plan: rollover percentage", .integer, isRequired: false),
            ofProduct("rollover_cap", "Plan: maximum rollover", .integer, isRequired: false),
            ofProduct("subscription_group", "Plan: subscription group", .text, isRequired: false),
            ofProduct("days_ahead", "Plan: bookable days ahead", .integer, isRequired: false),
            ofProduct("commitment_amount", "Plan: total amount of a commitment", .integer, isRequired: false),
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
