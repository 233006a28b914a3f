import Foundation
package import JSON

/// An action of operators: one row of the table from which the API's checks, the console's forms and calls, and the
/// commands for curl and psql are derived.
///
/// SQL: `views/instance/action_rights.sql` has the same actions and rights.
package struct ActionDescription: Sendable {
    /// One field of the action's form, and the member of the request body that it fills.
    package struct Field: Sendable {
        /// The type of a field's value.
        package enum Kind: Sendable, Equatable {
            case text
            case integer
            /// An amount of money in the currency's unit, such as 12.50; its column in psql has hundredths.
            case money
            /// A time in the studio's time zone.
            case instant
            /// A day, without a time.
            case day
            /// A time of day, without a time zone.
            case time
            case choice([String])
            /// Some of these texts.
            case several([String])
            /// Texts separated by commas.
            case texts
            /// A text of several lines.
            case lines
            /// Days separated by commas.
            case days
            /// Further lots of a bundle, separated by semicolons.
            case bundle
            /// A value that the linking page provides; otherwise the operator enters it.
            case given
            /// A number that the linking page provides; otherwise the operator enters it.
            case givenNumber
        }

        /// The field's name, which is also its column in the `admin` views.
        package let name: String
        /// The field's label in the form.
        package let label: String
        /// The type of the value.
        package let kind: Kind
        /// A Boolean value that indicates whether the field must not be empty.
        package let isRequired: Bool
        /// The path of the field in the request body; nil for a field that the request sends elsewhere.
        package let path: [String]?
        /// An explanation of the field and its default value.
        package var hint: String?
        /// A Boolean value that indicates whether the form shows the field only on request.
        package var isMore = false
    }

    /// The values of a form as SQL literals, by the names of their fields.
    package struct Literals: Sendable {
        /// The literals.
        let literals: [String: String]
        /// The form's values.
        let values: [String: String]

        subscript(_ name: String) -> String { self.literals[name] ?? "NULL" }

        /// The operator's reason.
        var reason: String { self["reason"] }
    }

    /// The action's name in the page's address.
    package let name: String
    /// The action's title.
    package let title: String
    /// The action's effect, in a sentence.
    package let about: String
    /// The heading of the result; for an adjustment, the balance before and after follows it.
    package let result: String
    /// The route of the API below `/operator/`.
    package let route: String
    /// The role that the action requires.
    package let needs: OperatorRight
    /// A Boolean value that indicates whether the action changes money, which requires a recent sign-in.
    package let movesMoney: Bool
    /// The fields of the form.
    package let fields: [Field]
    /// The members that every request body of this action contains.
    package let fixed: [String: JSONValue]
    /// The list from which the form reads the current values of an existing object, and the field that identifies the
    /// object; nil for an action that does not edit a whole object.
    package let source: (list: OperatorList, id: String)?
    /// The members that a request must have in addition to the reason.
    package let target: [String]
    private let statement: @Sendable (Literals) -> String

    private init(
        _ name: String,
        _ needs: OperatorRight,
        at route: String? = nil,
        title: String,
        about: String,
        result: String,
        movesMoney: Bool = false,
        fields: [Field],
        fixed: [String: JSONValue] = [:],
        source: (list: OperatorList, id: String)? = nil,
        psql statement: @escaping @Sendable (Literals) -> String
    ) {
        self.name = name
        self.title = title
        self.about = about
        self.result = result
        self.route = route ?? "actions/\(name)"
        self.needs = needs
        self.movesMoney = movesMoney
        self.fields = fields + [Self.reason]
        self.fixed = fixed
        self.source = source
        let members = fields.filter(\.isRequired).compactMap(\.path?.first)
        self.target = members.enumerated().filter { members.firstIndex(of: $1) == $0 }.map(\.element)
        self.statement = statement
    }

    /// A Boolean value that indicates whether the action is an adjustment, which has a reference and a balance.
    package var isAdjustment: Bool { self.route == "adjustments" }

    /// A Boolean value that indicates whether the action compensates many users, each with a result of their own.
    package var isCompensation: Bool { self.name.hasPrefix("compensate-") }

    /// A Boolean value that indicates whether the action can create an object, and then refuses an id that exists.
    package var refusesExisting: Bool { [Self.putClass.name, Self.putSeries.name].contains(self.name) }

    /// A Boolean value that indicates whether the answer counts the affected classes and bookings.
    package var countsEffects: Bool {
        [Self.cancelClass, .putSeries, .cancelSeries, .putHoliday].contains { $0.name == self.name }
    }

    /// The name under which `wallet.operator_act` carries out the action.
    var operation: String { String(self.route.dropFirst("actions/".count)) }

    /// Returns the statement that does the same in psql.
    ///
    /// - Parameters:
    ///   - values: The values of the form; times are instants.
    ///   - key: The form's key.
    /// - Returns: The statement.
    package func psql(_ values: [String: String], key: String) -> String {
        var literals = ["reference": Self.literal(key), "key": Self.literal(key)]
        for field in self.fields { literals[field.name] = field.literal(values[field.name] ?? "") }
        return self.statement(Literals(literals: literals, values: values))
    }
}

extension ActionDescription.Field {
    /// Returns an amount of money in hundredths; nil for a text that is not an amount with up to two decimals.
    package static func hundredths(_ text: String) -> Int64? {
        guard let parts = text.wholeMatch(of: /(\d{1,12})(?:\.(\d{1,2}))?/)?.output, let whole = Int64(parts.1) else {
            return nil
        }
        let decimals = parts.2.map(String.init) ?? ""
        return whole * 100 + (Int64((decimals + "00").prefix(2)) ?? 0)
    }

    /// Returns hundredths as an amount with two decimals.
    package static func amount(ofHundredths hundredths: Int64) -> String {
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        return "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }

    /// Splits a text at its commas.
    package static func texts(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// Returns the JSON of the further lots of a bundle: `3 visit 30 60; 5 credit` is three visits that are valid for 30
    /// days from their first use, at the latest 60 days after the purchase, and five credits.
    ///
    /// - Parameter text: The lots, separated by semicolons; each has its amount and unit, and for visits then the days
    ///   of validity and the days until the latest start, if any.
    /// - Returns: The array; nil for any other text.
    package static func bundle(_ text: String) -> JSONValue? {
        var items: [JSONValue] = []
        for item in text.split(separator: ";") {
            guard
                let parts = item.wholeMatch(
                    of: /\s*(\d{1,7})\s+(credit|visit)s?(?:\s+(\d{1,4})(?:\s+(\d{1,4}))?)?\s*/
                )?.output
            else { return nil }
            func number(_ digits: Substring?) -> JSONValue {
                digits.flatMap { Int64($0) }.map { .number(Decimal($0)) } ?? .null
            }
            items.append(
                .object([
                    "unit": .text(String(parts.2)), "amount": number(parts.1), "valid_days": number(parts.3),
                    "starts_within_days": number(parts.4),
                ])
            )
        }
        return .array(items)
    }

    /// Returns the text of the further lots of a bundle, as a form shows it.
    package static func bundleText(_ items: [JSONValue]) -> String {
        items.map { item in
            ["amount", "unit", "valid_days", "starts_within_days"]
                .compactMap { item.members?[$0] }.filter { $0 != .null }.map { $0.text ?? $0.jsonText }
                .joined(separator: " ")
        }.joined(separator: "; ")
    }

    /// Returns the field with an explanation.
    fileprivate func explained(_ hint: String) -> Self {
        var field = self
        field.hint = hint
        return field
    }

    /// Returns the field with an explanation, shown only on request.
    fileprivate func more(_ hint: String) -> Self {
        var field = self.explained(hint)
        field.isMore = true
        return field
    }

    fileprivate func literal(_ text: String) -> String {
        switch self.kind {
        case .money: ActionDescription.literal(Self.hundredths(text).map(String.init) ?? text)
        case .several, .days: ActionDescription.literal("{\(Self.texts(text).joined(separator: ","))}")
        case .bundle: ActionDescription.literal(text.isEmpty ? "" : Self.bundle(text)?.jsonText ?? text)
        case .texts: "ARRAY[\(Self.texts(text).map(ActionDescription.literal).joined(separator: ", "))]::text[]"
        default: ActionDescription.literal(text)
        }
    }
}

extension ActionDescription {
    fileprivate static func literal(_ text: String) -> String {
        text.isEmpty ? "NULL" : "'" + text.replacing("'", with: "''") + "'"
    }

    /// Returns the transaction that runs a statement on a view without a column for the reason.
    private static func withReason(_ values: Literals, _ statement: String) -> String {
        "BEGIN;\nSET LOCAL wallet.reason = \(values.reason);\n\(statement)\nCOMMIT;"
    }

    /// Returns the statement that inserts an adjustment with all values of the form.
    private static func adjustment(_ values: Literals, _ more: [(column: String, literal: String)] = []) -> String {
        let columns = ["user_id", "environment", "unit", "amount", "reference", "reason"].map { ($0, values[$0]) }
        let row = columns + more + (values.values["new_user"] == "true" ? [("new_user", "TRUE")] : [])
        return "INSERT INTO admin.adjustments (\(row.map(\.0).joined(separator: ", ")))\n"
            + "VALUES (\(row.map(\.1).joined(separator: ", ")));"
    }

    /// Returns the statement that compensates the members of a class or the users of a list, one row for each target.
    ///
    /// - Parameters:
    ///   - values: The form's values.
    ///   - column: The column of the targets, `class_id` or `user_id`.
    ///   - targets: The targets with their amounts, as literals.
    /// - Returns: The statement.
    private static func compensation(
        _ values: Literals,
        _ column: String,
        _ targets: [(id: String, amount: String)]
    ) -> String {
        let isNew = values.values["new_user"] == "true"
        let columns = ["reference", column, "amount", "environment", "unit", "reason", "source", "expires_at"]
        let entered = values.values["reference"].flatMap { $0.isEmpty ? nil : Self.literal($0) }
        let common = ["environment", "unit", "reason", "source", "expires_at"].map { values[$0] }
        let rows = targets.map { target in
            let row = [entered ?? values["key"], target.id, target.amount] + common + (isNew ? ["TRUE"] : [])
            return "    (\(row.joined(separator: ", ")))"
        }
        return "INSERT INTO admin.compensations (\((columns + (isNew ? ["new_user"] : [])).joined(separator: ", ")))"
            + " VALUES\n" + rows.joined(separator: ",\n") + ";"
    }

    /// Returns the statement that inserts an object with all fields of a form, or updates it if it exists.
    ///
    /// - Parameters:
    ///   - values: The form's values.
    ///   - view: The view of schema `admin`.
    ///   - fields: The fields of the form.
    ///   - id: The column that identifies the object.
    ///   - fixed: The columns that an existing object keeps.
    /// - Returns: The statement.
    private static func put(
        _ values: Literals,
        into view: String,
        _ fields: [Field],
        by id: String,
        fixed: Set<String> = []
    ) -> String {
        let names = fields.map(\.name)
        if values.values["known"] == "true" {
            let changes = names.filter { $0 != id && !fixed.contains($0) }.map { "\($0) = \(values[$0])" }
            return Self.withReason(
                values,
                "UPDATE \(view) SET\n\(Self.lines(changes))\nWHERE \(id) = \(values[id]);"
            )
        }
        return Self.withReason(
            values,
            "INSERT INTO \(view) (\n\(Self.lines(names))\n) VALUES (\n\(Self.lines(names.map { values[$0] }))\n);"
        )
    }

    /// Separates items by commas, on indented lines of about 100 characters.
    private static func lines(_ items: [String]) -> String {
        var lines: [String] = []
        for item in items {
            if let last = lines.last, last.count + item.count < 100 {
                lines[lines.count - 1] = "\(last), \(item)"
            } else {
                lines.append(item)
            }
        }
        return lines.map { "    \($0)" }.joined(separator: ",\n")
    }
}

extension ActionDescription {
    private static let user = field("user_id", "User", .given)
    /// The environment is a field of the request's header.
    private static let environment = Field(
        name: "environment",
        label: "Wallet",
        kind: .given,
        isRequired: true,
        path: nil
    )
    private static let wallet = Field(
        name: "environment",
        label: "Wallet",
        kind: .choice(["production", "sandbox"]),
        isRequired: true,
        path: nil,
        hint: "Only testers have a sandbox wallet.",
        isMore: true
    )
    private static let unit = field("unit", "Unit", .choice(["credit", "visit"]))
    private static let amount = field("amount", "Amount", .integer)
    private static let booking = field("booking_id", "Booking", .given)
    private static let claim = field("claim_id", "Purchase", .givenNumber)
    private static let newUser = optional("new_user", "The user is new", .choice(["false", "true"]))
        .more("An id that the wallet does not know is refused, because it may contain a typing error.")
    private static let reason = field("reason", "Reason", .text)

    private static func field(_ name: String, _ label: String, _ kind: Field.Kind, _ path: String...) -> Field {
        Field(name: name, label: label, kind: kind, isRequired: true, path: path.isEmpty ? [name] : path)
    }

    private static func optional(_ name: String, _ label: String, _ kind: Field.Kind, _ path: String...) -> Field {
        Field(name: name, label: label, kind: kind, isRequired: false, path: path.isEmpty ? [name] : path)
    }

    /// All actions, in the order of `wallet.action_rights`.
    package static let all = [
        adjust, gift, compensateClass, compensateUsers, cancelBooking, cancelInFull, waive, release, keep, freeze,
        unfreeze, resolve, replay, resend, sendTest, tester, profile, putClass, cancelClass, markAttendance, putPolicy,
        putSeries, cancelSeries, putHoliday, removeHoliday, putProduct,
    ]

    package static let adjust = ActionDescription(
        "adjust",
        .operator,
        at: "adjustments",
        title: "Adjust the wallet",
        about: "Adds credits or visits, or deducts them if the amount is negative. For goodwill, use a gift instead.",
        result: "Balance updated",
        movesMoney: true,
        fields: [user, wallet, unit, amount, newUser]
    ) { adjustment($0) }

    package static let gift = ActionDescription(
        "gift",
        .operator,
        at: "adjustments",
        title: "Give a gift",
        about: "Adds credits or visits, which can expire. They also lapse when the user's account is deleted.",
        result: "Gift added",
        movesMoney: true,
        fields: [user, wallet, unit, amount, optional("expires_at", "Expires", .instant), newUser],
        fixed: ["source": "gift"]
    ) { adjustment($0, [("source", "'gift'"), ("expires_at", $0["expires_at"])]) }

    private static let compensation = [
        wallet, unit,
        optional("source", "Kind", .choice(["adjustment", "gift"]))
            .more("An adjustment by default. A gift lapses when the user's account is deleted."),
        optional("expires_at", "Expires", .instant).more("Never by default."),
        optional("reference", "Reference", .text)
            .more("Made by the form by default. The same reference continues a compensation."),
    ]

    package static let compensateClass = ActionDescription(
        "compensate-class",
        .operator,
        title: "Compensate the members of a class",
        about: "Adds credits or visits to each member with a booking, also after the class was cancelled. Each member "
            + "gets the amount once for a reference.",
        result: "Compensated",
        movesMoney: true,
        fields: [field("class_id", "Class", .given), field("amount", "Amount for each member", .integer)] + compensation
    ) { compensation($0, "class_id", [($0["class_id"], $0["amount"])]) }

    package static let compensateUsers = ActionDescription(
        "compensate-users",
        .operator,
        title: "Compensate users",
        about: "Adds credits or visits to each user of a list. Each user gets the amount once for a reference, so you "
            + "can correct the list and send it again.",
        result: "Compensated",
        movesMoney: true,
        fields: [
            field("csv", "Users, one on each line; an amount may follow after a comma", .lines),
            optional("amount", "Amount for users without an amount of their own", .integer), newUser,
        ] + compensation
    ) { values in
        let people = Compensation.recipients(inLines: values.values["csv"] ?? "")
        return compensation(
            values,
            "user_id",
            people.map { (literal($0.userID), $0.amount.map { "'\($0)'" } ?? values["amount"]) }
        )
    }

    package static let cancelBooking = ActionDescription(
        "cancel-booking",
        .support,
        title: "Cancel the booking",
        about: "Cancels the booking under the same rules as for the user: a late cancellation returns nothing.",
        result: "Booking cancelled",
        fields: [user, environment, booking]
    ) {
        """
        UPDATE admin.bookings SET status = 'cancelled', reason = \($0.reason)
        WHERE booking_id = \($0["booking_id"]);
        """
    }

    package static let cancelInFull = ActionDescription(
        "cancel-booking-in-full",
        .operator,
        at: "actions/cancel-booking",
        title: "Cancel the booking and return everything",
        about: "Cancels the booking for the studio: the user gets the full amount back, however late it is.",
        result: "Booking cancelled and returned in full",
        movesMoney: true,
        fields: [user, environment, booking],
        fixed: ["in_full": true]
    ) {
        """
        UPDATE admin.bookings SET status = 'cancelled', cancelled_by = 'studio', reason = \($0.reason)
        WHERE booking_id = \($0["booking_id"]);
        """
    }

    package static let waive = ActionDescription(
        "waive-cancellation",
        .operator,
        title: "Waive the late cancellation",
        about: "Returns the full amount that the late cancellation kept, and withdraws its fee and strike.",
        result: "Late cancellation waived",
        movesMoney: true,
        fields: [user, environment, booking]
    ) {
        """
        UPDATE admin.bookings SET returned = amount, reason = \($0.reason)
        WHERE booking_id = \($0["booking_id"]);
        """
    }

    package static let release = ActionDescription(
        "release-purchase",
        .admin,
        title: "Release the purchase",
        about: "Takes the purchase from this user, so that another user with proof of it can restore it.",
        result: "Purchase released",
        movesMoney: true,
        fields: [user, environment, claim]
    ) { "UPDATE admin.purchases SET released = TRUE, reason = \($0.reason)\nWHERE claim_id = \($0["claim_id"]);" }

    package static let keep = ActionDescription(
        "undo-release",
        .admin,
        title: "Undo the release",
        about: "Reverses the release, so that no other user can restore the purchase.",
        result: "Release undone",
        movesMoney: true,
        fields: [user, environment, claim]
    ) { "UPDATE admin.purchases SET released = FALSE, reason = \($0.reason)\nWHERE claim_id = \($0["claim_id"]);" }

    private static let lot = field("lot_id", "Lot", .given)

    package static let freeze = ActionDescription(
        "freeze",
        .operator,
        title: "Freeze the pass or the plan's visits",
        about: "The lot pays for no class in the span, and its expiry moves by the frozen time. The product limits the "
            + "days of a year and the shortest freeze.",
        result: "Lot frozen",
        movesMoney: true,
        fields: [
            user, environment, lot, field("from", "Frozen from (UTC)", .instant),
            field("until", "Frozen until (UTC)", .instant),
        ]
    ) {
        """
        UPDATE admin.lots SET frozen_from = \($0["from"]), frozen_until = \($0["until"]), reason = \($0.reason)
        WHERE lot_id = \($0["lot_id"]);
        """
    }

    package static let unfreeze = ActionDescription(
        "unfreeze",
        .operator,
        title: "End the freeze",
        about: "The lot can pay again from now on. Its expiry moves back by the time that is left of the freeze.",
        result: "Freeze ended",
        movesMoney: true,
        fields: [user, environment, lot]
    ) {
        """
        UPDATE admin.lots SET frozen_from = NULL, frozen_until = NULL, reason = \($0.reason)
        WHERE lot_id = \($0["lot_id"]);
        """
    }

    package static let resolve = ActionDescription(
        "resolve-flag",
        .operator,
        title: "Resolve the flag",
        about: "Choose dismissed if nothing was wrong. Choose blocked to stop grants and bookings of the account.",
        result: "Flag resolved",
        movesMoney: true,
        fields: [
            field("flag_id", "Flag", .givenNumber),
            field("resolution", "Resolution", .choice(["dismissed", "blocked"])),
        ]
    ) {
        """
        UPDATE admin.review_flags SET resolution = \($0["resolution"]), reason = \($0.reason)
        WHERE flag_id = \($0["flag_id"]);
        """
    }

    package static let replay = ActionDescription(
        "replay-message",
        .support,
        title: "Process the message again",
        about: "Retries a store message that was not processed.",
        result: "Message queued for another attempt",
        fields: [field("inbox_id", "Message", .givenNumber)]
    ) { withReason($0, "UPDATE admin.webhook_inbox SET status = 'new' WHERE inbox_id = \($0["inbox_id"]);") }

    package static let resend = ActionDescription(
        "resend-event",
        .support,
        title: "Send the event again",
        about: "Queues the event for another delivery to your endpoint.",
        result: "Event queued for delivery",
        fields: [field("event_id", "Event", .givenNumber)]
    ) { withReason($0, "UPDATE admin.outbox SET status = 'pending' WHERE event_id = \($0["event_id"]);") }

    package static let sendTest = ActionDescription(
        "send-test-event",
        .support,
        title: "Send a test event",
        about: "Sends a test event (endpoint.test) to check that your endpoint accepts deliveries.",
        result: "Test event queued for delivery",
        fields: [user]
    ) { withReason($0, "INSERT INTO admin.outbox (type, user_id) VALUES ('endpoint.test', \($0["user_id"]));") }

    package static let tester = ActionDescription(
        "set-tester",
        .support,
        title: "Add or remove tester",
        about: "A tester uses the sandbox wallet whenever the app's request names no environment.",
        result: "Tester setting saved",
        fields: [user, field("tester", "Is a tester", .choice(["true", "false"]))]
    ) {
        let user = $0["user_id"]
        let isTester = $0.values["tester"] == "true"
        return withReason(
            $0,
            isTester
                ? "INSERT INTO admin.testers (user_id) VALUES (\(user));"
                : "DELETE FROM admin.testers WHERE user_id = \(user);"
        )
    }

    package static let profile = ActionDescription(
        "put-profile",
        .support,
        title: "Change the name and the email address",
        about: "Operators see them in lists and find the user by them. They are not used for anything else, and are "
            + "deleted with the account. Leave a field empty to remove its value.",
        result: "Name and email address saved",
        fields: [user, optional("name", "Name", .text), optional("email", "Email address", .text)],
        source: (.users, "user_id")
    ) {
        """
        UPDATE admin.users SET name = \($0["name"]), email = \($0["email"]), reason = \($0.reason)
        WHERE user_id = \($0["user_id"]);
        """
    }

    /// The seats, the price and the terms, below the member of the request body that has the definition.
    private static func terms(of owner: String) -> (main: [Field], more: [Field]) {
        func minutes(_ name: String, _ label: String, _ hint: String, _ path: String...) -> Field {
            Field(
                name: name,
                label: "\(label) (minutes before the start)",
                kind: .integer,
                isRequired: false,
                path: [owner] + path,
                hint: hint,
                isMore: true
            )
        }
        func limit(_ name: String, _ label: String, _ hint: String) -> Field {
            let path = [owner, "limits", name]
            return Field(
                name: name,
                label: label,
                kind: .integer,
                isRequired: false,
                path: path,
                hint: hint,
                isMore: true
            )
        }
        return (
            [
                field("capacity", "Seats", .integer, owner, "capacity"),
                optional("price_credits", "Price in credits", .integer, owner, "price", "credits"),
                optional("price_visits", "Price in visits", .integer, owner, "price", "visits")
                    .explained("Set a price in credits, in visits, or both."),
            ],
            [
                minutes(
                    "free_minutes_before",
                    "Free cancellation ends",
                    "1440 by default, which is one day. Later cancellations return nothing.",
                    "cancellation",
                    "free_minutes_before"
                ),
                limit("max_seats", "Maximum seats per booking", "No limit by default."),
                limit("days_ahead", "Bookable days ahead", "No limit by default. A plan may allow more days."),
                minutes(
                    "opens_minutes_before",
                    "Booking opens",
                    "Open at once by default.",
                    "limits",
                    "opens_minutes_before"
                ),
                minutes(
                    "closes_minutes_before",
                    "Booking closes",
                    "At the start by default.",
                    "limits",
                    "closes_minutes_before"
                ),
                limit(
                    "max_overlaps",
                    "Maximum overlapping bookings of the user",
                    "No limit by default. 0 allows no other booking at the same time."
                ),
                minutes(
                    "waitlist_cutoff_minutes",
                    "Waitlist closes",
                    "60 by default. From then on, free seats can be booked by all users.",
                    "waitlist",
                    "cutoff_minutes"
                ),
                optional("policy_id", "Policy", .text, owner, "policy_id")
                    .more("No policy by default. A policy also sets when free cancellation ends."),
            ]
        )
    }

    private static let classFields =
        [
            field("title", "Title", .text, "class", "title"),
            field("starts_at", "Starts", .instant, "class", "starts_at"),
            field("minutes", "Length in minutes", .integer, "class", "minutes"),
        ] + terms(of: "class").main + [
            optional("class_id", "Id of the class", .given)
                .more("Made from the title and the start by default. It cannot be changed later.")
        ] + terms(of: "class").more

    package static let putClass = ActionDescription(
        "put-class",
        .operator,
        title: "Create or change a class",
        about: "A new price applies to later bookings only. Changing the start moves the class; booked users are "
            + "notified and may cancel free of charge until the new start.",
        result: "Class saved",
        movesMoney: true,
        fields: classFields,
        source: (.classes, "class_id")
    ) { put($0, into: "admin.classes", classFields, by: "class_id") }

    package static let cancelClass = ActionDescription(
        "cancel-class",
        .operator,
        title: "Cancel the class",
        about: "Closes the class to new bookings. Every booked user gets the full amount back.",
        result: "Class cancelled",
        movesMoney: true,
        fields: [field("class_id", "Class", .given)]
    ) {
        "UPDATE admin.classes SET status = 'cancelled', cancel_reason = \($0.reason) WHERE class_id = \($0["class_id"]);"
    }

    package static let markAttendance = ActionDescription(
        "mark-attendance",
        .operator,
        title: "Mark the attendance",
        about: "Marks bookings of a class from an hour before its start. Marking again replaces the mark: an earlier "
            + "fee returns, and an earlier strike is withdrawn.",
        result: "Attendance marked",
        movesMoney: true,
        fields: [
            field("class_id", "Class", .given), environment, field("booking_ids", "Bookings", .texts),
            field("attendance", "Attendance", .choice(["attended", "no_show", "excused", "unmarked"])),
        ]
    ) {
        """
        BEGIN;
        SET LOCAL wallet.bulk = 'on';
        UPDATE admin.bookings SET attendance = \($0["attendance"]), reason = \($0.reason)
        WHERE booking_id = ANY(\($0["booking_ids"])::uuid[]);
        COMMIT;
        """
    }

    private static let policyFields = [
        field("policy_id", "Policy", .given), field("name", "Name", .text, "policy", "name"),
        optional(
            "free_minutes_before",
            "Free cancellation ends (minutes before start)",
            .integer,
            "policy",
            "cancellation",
            "free_minutes_before"
        ),
        optional("late_cancel_fee", "Fee for a late cancellation (credits)", .integer, "policy", "late_cancel", "fee"),
        field(
            "late_cancel_strike",
            "A late cancellation is a strike",
            .choice(["false", "true"]),
            "policy",
            "late_cancel",
            "strike"
        ), optional("no_show_fee", "Fee for a no-show (credits)", .integer, "policy", "no_show", "fee"),
        field("no_show_strike", "A no-show is a strike", .choice(["false", "true"]), "policy", "no_show", "strike"),
        optional("strikes_allowed", "Strikes without a block", .integer, "policy", "strikes", "allowed"),
        optional("strike_days", "Strikes count for (days)", .integer, "policy", "strikes", "days"),
        optional("block_days", "A block lasts (days)", .integer, "policy", "strikes", "block_days"),
        optional(
            "check_in_minutes_before",
            "Check-in opens (minutes before start)",
            .integer,
            "policy",
            "check_in",
            "minutes_before"
        ),
        optional(
            "check_in_minutes_after",
            "Check-in closes (minutes after start)",
            .integer,
            "policy",
            "check_in",
            "minutes_after"
        ),
    ]

    package static let putPolicy = ActionDescription(
        "put-policy",
        .operator,
        title: "Create or change a policy",
        about: "Applies to later bookings of its classes. Existing bookings keep their terms. Fees and strikes come on "
            + "top of the price.",
        result: "Policy saved",
        movesMoney: true,
        fields: policyFields,
        source: (.policies, "policy_id")
    ) { put($0, into: "admin.policies", policyFields, by: "policy_id") }

    private static let seriesFields =
        [
            field("title", "Title", .text, "series", "title"),
            field("weekdays", "Days", .several(SeriesDefinition.allWeekdays), "series", "weekdays"),
            field("start_time", "Starts", .time, "series", "start_time")
                .explained("The time of day in the time zone, the same before and after clock changes."),
            field("minutes", "Length in minutes", .integer, "series", "minutes"),
            optional("time_zone", "Time zone", .text, "series", "time_zone")
                .explained("The studio's time zone by default, for example Europe/Berlin."),
            field("from_date", "From", .day, "series", "from_date")
                .explained("The first day of the series. For a change: all classes from this day on change."),
        ] + terms(of: "series").main + [
            optional("ends_on", "Last day", .day, "series", "ends_on")
                .more("No end by default. Classes after this day are cancelled."),
            optional("exceptions", "Days without a class", .days, "series", "exceptions")
                .more("Days such as 2026-12-24, separated by commas. Their classes are cancelled."),
            optional("create_days_ahead", "Days ahead", .integer, "series", "create_days_ahead")
                .more("92 by default. Classes are created this many days ahead."),
            optional("series_id", "Id of the series", .given)
                .more("Made from the title by default. It cannot be changed later."),
        ] + terms(of: "series").more

    package static let putSeries = ActionDescription(
        "put-series",
        .operator,
        title: "Create or change a series",
        about: "Repeats a class every week. A change applies to all classes from a day on, except those that were "
            + "changed on their own. Classes that no longer fit are cancelled, and their bookings return everything.",
        result: "Series saved",
        movesMoney: true,
        fields: seriesFields,
        source: (.series, "series_id")
    ) { put($0, into: "admin.series", seriesFields, by: "series_id") }

    package static let cancelSeries = ActionDescription(
        "cancel-series",
        .operator,
        title: "Cancel the series",
        about: "Cancels all classes of the series from a day on. Every booked user gets the full amount back.",
        result: "Series cancelled",
        movesMoney: true,
        fields: [
            field("series_id", "Series", .given),
            optional("from_date", "From", .day).explained("Today by default. Earlier classes take place."),
        ]
    ) {
        let day = $0["from_date"] == "NULL" ? "(now() AT TIME ZONE time_zone)::date" : "\($0["from_date"])::date"
        return withReason($0, "UPDATE admin.series SET ends_on = \(day) - 1 WHERE series_id = \($0["series_id"]);")
    }

    package static let putHoliday = ActionDescription(
        "put-holiday",
        .operator,
        title: "Add a holiday",
        about: "Cancels all classes of series on that day; every booked user gets the full amount back. Other classes "
            + "take place.",
        result: "Holiday saved",
        movesMoney: true,
        fields: [field("on_date", "Day", .day), field("name", "Name", .text)]
    ) {
        withReason($0, "INSERT INTO admin.holidays (on_date, name) VALUES (\($0["on_date"]), \($0["name"]));")
    }

    package static let removeHoliday = ActionDescription(
        "remove-holiday",
        .operator,
        title: "Remove the holiday",
        about: "Series have classes on that day again. Their classes are created within a minute.",
        result: "Holiday removed",
        movesMoney: true,
        fields: [field("on_date", "Day", .day)]
    ) { withReason($0, "DELETE FROM admin.holidays WHERE on_date = \($0["on_date"]);") }

    private static let productFields = [
        field("product_id", "Product", .given),
        field("kind", "Kind", .choice(["pack", "pass", "plan"]), "product", "kind"),
        field("name", "Name", .text, "product", "name"), optionalOfProduct("description", "Description", .text),
        field("unit", "Unit", .choice(["credit", "visit"]), "product", "unit"),
        optionalOfProduct("amount", "Amount", .integer), optionalOfProduct("bonus", "Bonus", .integer),
        field("price_minor", "Price", .money, "product", "price", "amount"),
        field("currency", "Currency", .text, "product", "price", "currency"),
        field("is_active", "For sale", .choice(["true", "false"]), "product", "is_active"),
        field("is_popular", "Featured", .choice(["false", "true"]), "product", "is_popular"),
        optionalOfProduct("display_order", "Sort order", .integer),
        optional("app_store_id", "App Store id", .text, "product", "store_ids", "app_store"),
        optional("play_store_id", "Google Play id", .text, "product", "store_ids", "play_store"),
        optional("revenuecat_id", "RevenueCat id", .text, "product", "store_ids", "revenuecat"),
        optionalOfProduct("valid_days", "Pass: validity in days", .integer),
        optionalOfProduct("starts_within_days", "Pass: starts at first use, at the latest after (days)", .integer)
            .explained("Empty: the validity starts at the purchase."),
        optionalOfProduct("bundle_items", "Bundle: further lots", .bundle).explained(
            "For example 3 visit 30 60; 5 credit: 3 visits valid for 30 days from their first use, at the latest 60 days "
                + "after the purchase, and 5 credits."
        ),
        optionalOfProduct("grace_days", "Validity of expired lots after a studio cancellation (days)", .integer),
        optionalOfProduct("period", "Plan: period, for example P1M", .text),
        optionalOfProduct("tier", "Plan: tier", .integer),
        optionalOfProduct("entitlements", "Plan: entitlements", .texts),
        field("unlimited", "Plan: unlimited bookings", .choice(["false", "true"]), "product", "unlimited"),
        optionalOfProduct("trial_amount", "Plan: amount granted by a trial", .integer),
        optionalOfProduct("rollover_percentage", "Plan: rollover percentage", .integer),
        optionalOfProduct("rollover_cap", "Plan: maximum rollover", .integer),
        optionalOfProduct("subscription_group", "Plan: subscription group", .text),
        optionalOfProduct("days_ahead", "Plan: bookable days ahead", .integer),
        optionalOfProduct("commitment_amount", "Plan: total amount of a commitment", .integer),
        optionalOfProduct("freeze_days", "Pass or plan: days of freeze in a year", .integer),
        optionalOfProduct("freeze_minimum_days", "Pass or plan: shortest freeze in days", .integer),
        field("grant_source", "Granted by", .choice(["purchase", "virtual_currency"]), "product", "grant_source"),
    ]

    private static func optionalOfProduct(_ name: String, _ label: String, _ kind: Field.Kind) -> Field {
        self.optional(name, label, kind, "product", name)
    }

    package static let putProduct = ActionDescription(
        "put-product",
        .admin,
        title: "Create or change a product",
        about: "Earlier purchases keep their terms. The kind and unit of an existing product cannot change.",
        result: "Product saved",
        movesMoney: true,
        fields: productFields,
        source: (.products, "product_id")
    ) { put($0, into: "admin.products", productFields, by: "product_id", fixed: ["kind", "unit"]) }
}
