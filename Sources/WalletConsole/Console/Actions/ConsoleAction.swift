import Foundation
import HTTPTypes
import JSON
import Wallet

/// An action that an operator can run from a page: a form, a preview of the changes, then the change itself.
struct ConsoleAction: Sendable {
    /// One field of the form.
    struct Field: Sendable {
        /// The type of a field's value.
        enum Kind: Sendable, Equatable {
            case text
            case integer
            /// Hundredths of a currency unit; the request body contains the unit with decimals.
            case minor
            case instant
            case choice([String])
            /// Texts separated by commas.
            case texts
            /// A value that the linking page provides; otherwise the operator enters it.
            case given
        }

        let name: String
        let label: String
        let kind: Kind
        var isRequired = true
        /// A Boolean value that indicates whether the request body contains the field.
        var isInBody = true
        /// The path of the field in the request body; empty for a member with the field's name.
        var place: [String] = []
    }

    /// The list from which the form reads the current values of an existing object.
    struct Source: Sendable {
        /// The name of the list, in its route below `/operator/` and in its response.
        let list: String
        /// The field that identifies the row.
        let id: String
    }

    /// The action's name in the page's address.
    let name: String
    let title: String
    /// The action's effect, in a sentence.
    let about: String
    /// The heading of the result page; for an adjustment, the balance before and after follows it.
    let result: String
    /// The route below `/operator/`.
    let route: String
    let needs: OperatorRight
    /// A Boolean value that indicates whether the action changes money, which requires a recent sign-in.
    var movesMoney = false
    let fields: [Field]
    /// The members that every request body of this action contains.
    var fixed: [String: JSONValue] = [:]
    /// The source of the current values; nil for an action that does not edit a whole object.
    var source: Source?

    /// Returns the API call for a completed form.
    ///
    /// - Parameters:
    ///   - values: The fields by name.
    ///   - key: The form's idempotency key; a form that is sent twice takes effect once.
    ///   - dryRun: A Boolean value that indicates whether the call only previews the changes.
    /// - Returns: The call.
    /// - Throws: ``ConsoleProblem`` for a required field that is empty or a value that cannot be parsed.
    func call(_ values: [String: String], key: String, dryRun: Bool) throws -> OperatorCall {
        var body = JSONValue.object(self.fixed)
        for field in self.fields {
            let text = values[field.name] ?? ""
            guard !text.isEmpty else {
                if field.isRequired { throw ConsoleProblem(status: 422, title: "\(field.label) is missing.") }
                continue
            }
            guard field.isInBody else { continue }
            body.set(try field.value(text), at: field.place.isEmpty ? [field.name] : field.place[...])
        }
        if self.route == "adjustments" { body.set(.text(key), at: ["reference"]) }
        return OperatorCall(
            .post,
            self.route,
            query: dryRun ? ["dry_run": "true"] : [:],
            environment: values["environment"].flatMap(WalletEnvironment.init),
            body: body,
            key: key
        )
    }
}

extension ConsoleAction.Field {
    /// Converts a browser's time field, which has no zone, to an instant.
    ///
    /// The value is UTC, as the field's label states.
    static func instant(_ text: String) -> String {
        switch text.count {
        case 16: "\(text):00Z"
        case 19: "\(text)Z"
        default: text
        }
    }

    /// Splits a text at its commas.
    static func texts(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// Returns the field's text for an existing value.
    func filled(with value: JSONValue) -> String {
        switch (self.kind, value) {
        case (.instant, .text(let text)): String(text.prefix(19))
        case (.choice, .bool(let flag)): flag ? "true" : "false"
        case (.texts, .array(let items)): items.compactMap(\.text).joined(separator: ", ")
        default: value.shown
        }
    }

    fileprivate func value(_ text: String) throws -> JSONValue {
        switch (self.kind, text) {
        case (_, "true") where self.kind != .text: return .bool(true)
        case (_, "false") where self.kind != .text: return .bool(false)
        case (.integer, _):
            guard let number = Int64(text) else {
                throw ConsoleProblem(status: 422, title: "\(self.label) must be a whole number.")
            }
            return .number(.init(number))
        case (.given, _) where ["claim_id", "flag_id", "inbox_id", "event_id"].contains(self.name):
            return Int64(text).map { .number(.init($0)) } ?? .text(text)
        case (.minor, _):
            guard let number = Int64(text) else {
                throw ConsoleProblem(status: 422, title: "\(self.label) must be a whole number.")
            }
            return .number(Decimal(number) / 100)
        case (.instant, _): return .text(Self.instant(text))
        case (.texts, _): return .array(Self.texts(text).map { .text($0) })
        default: return .text(text)
        }
    }
}

extension ConsoleAction {
    private static let user = Field(name: "user_id", label: "User", kind: .given)
    private static let environment = Field(name: "environment", label: "Wallet", kind: .given, isInBody: false)
    private static let wallet = Field(
        name: "environment",
        label: "Wallet",
        kind: .choice(["production", "sandbox"]),
        isInBody: false
    )
    private static let unit = Field(name: "unit", label: "Unit", kind: .choice(["credit", "visit"]))
    private static let amount = Field(name: "amount", label: "Amount", kind: .integer)
    private static let booking = Field(name: "booking_id", label: "Booking", kind: .given)
    private static let claim = Field(name: "claim_id", label: "Purchase", kind: .given)
    private static let newUser = Field(
        name: "new_user",
        label: "The user is new",
        kind: .choice(["false", "true"]),
        isRequired: false
    )
    static let reason = Field(name: "reason", label: "Reason", kind: .text)

    /// All actions, in the order of the table of rights (`wallet.action_rights`).
    static let all = [
        adjust, gift, cancelBooking, cancelInFull, waive, release, keep, resolve, replay, resend, sendTest, tester,
        putClass, cancelClass, putProduct,
    ]

    static let adjust = ConsoleAction(
        name: "adjust",
        title: "Adjust the wallet",
        about: "Adds credits or visits, or deducts them if the amount is negative. For goodwill, use a gift instead.",
        result: "Balance updated",
        route: "adjustments",
        needs: .operator,
        movesMoney: true,
        fields: [user, wallet, unit, amount, newUser, reason]
    )

    static let gift = ConsoleAction(
        name: "gift",
        title: "Give a gift",
        about: "Adds credits or visits, which can expire. They also lapse when the user's account is deleted.",
        result: "Gift added",
        route: "adjustments",
        needs: .operator,
        movesMoney: true,
        fields: [
            user, wallet, unit, amount,
            Field(name: "expires_at", label: "Expires (UTC)", kind: .instant, isRequired: false), newUser, reason,
        ],
        fixed: ["source": "gift"]
    )

    static let cancelBooking = ConsoleAction(
        name: "cancel-booking",
        title: "Cancel the booking",
        about: "Cancels the booking under the same rules as for the user: a late cancellation returns nothing.",
        result: "Booking cancelled",
        route: "actions/cancel-booking",
        needs: .support,
        fields: [user, environment, booking, reason]
    )

    static let cancelInFull = ConsoleAction(
        name: "cancel-booking-in-full",
        title: "Cancel the booking and return everything",
        about: "Cancels the booking for the studio: the user gets the full amount back, however late it is.",
        result: "Booking cancelled and returned in full",
        route: "actions/cancel-booking",
        needs: .operator,
        movesMoney: true,
        fields: [user, environment, booking, reason],
        fixed: ["in_full": true]
    )

    static let waive = ConsoleAction(
        name: "waive-cancellation",
        title: "Waive the late cancellation",
        about: "Returns the full amount that the late cancellation kept.",
        result: "Late cancellation waived",
        route: "actions/waive-cancellation",
        needs: .operator,
        movesMoney: true,
        fields: [user, environment, booking, reason]
    )

    static let release = ConsoleAction(
        name: "release-purchase",
        title: "Release the purchase",
        about: "Takes the purchase from this user, so that another user with proof of it can restore it.",
        result: "Purchase released",
        route: "actions/release-purchase",
        needs: .admin,
        movesMoney: true,
        fields: [user, environment, claim, reason]
    )

    static let keep = ConsoleAction(
        name: "keep-purchase",
        title: "Undo the release",
        about: "Reverses the release, so that no other user can restore the purchase.",
        result: "Release undone",
        route: "actions/keep-purchase",
        needs: .admin,
        movesMoney: true,
        fields: [user, environment, claim, reason]
    )

    static let resolve = ConsoleAction(
        name: "resolve-flag",
        title: "Resolve the flag",
        about: "Choose dismissed if nothing was wrong. Choose blocked to stop grants and bookings of the account.",
        result: "Flag resolved",
        route: "actions/resolve-flag",
        needs: .operator,
        movesMoney: true,
        fields: [
            Field(name: "flag_id", label: "Flag", kind: .given),
            Field(name: "resolution", label: "Resolution", kind: .choice(["dismissed", "blocked"])), reason,
        ]
    )

    static let replay = ConsoleAction(
        name: "replay-message",
        title: "Process the message again",
        about: "Retries a store message that was not processed.",
        result: "Message queued for another attempt",
        route: "actions/replay-message",
        needs: .support,
        fields: [Field(name: "inbox_id", label: "Message", kind: .given), reason]
    )

    static let resend = ConsoleAction(
        name: "resend-event",
        title: "Send the event again",
        about: "Queues the event for another delivery to your endpoint.",
        result: "Event queued for delivery",
        route: "actions/resend-event",
        needs: .support,
        fields: [Field(name: "event_id", label: "Event", kind: .given), reason]
    )

    static let sendTest = ConsoleAction(
        name: "send-test-event",
        title: "Send a test event",
        about: "Sends a test event (endpoint.test) to check that your endpoint accepts deliveries.",
        result: "Test event queued for delivery",
        route: "actions/send-test-event",
        needs: .support,
        fields: [user, reason]
    )

    static let tester = ConsoleAction(
        name: "set-tester",
        title: "Add or remove tester",
        about: "A tester uses the sandbox wallet whenever the app's request names no environment.",
        result: "Tester setting saved",
        route: "actions/set-tester",
        needs: .support,
        fields: [user, Field(name: "tester", label: "Is a tester", kind: .choice(["true", "false"])), reason]
    )
}
