import Wallet

extension ConsoleAction {
    private static let user = Field(name: "user_id", label: "User", kind: .given)
    private static let environment = Field(name: "environment", label: "Wallet", kind: .given, isInBody: false)
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
        fields: [
            user,
            Field(name: "environment", label: "Wallet", kind: .choice(["production", "sandbox"]), isInBody: false),
            Field(name: "unit", label: "Unit", kind: .choice(["credit", "visit"])),
            Field(name: "amount", label: "Amount", kind: .integer), newUser, reason,
        ]
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
            user,
            Field(name: "environment", label: "Wallet", kind: .choice(["production", "sandbox"]), isInBody: false),
            Field(name: "unit", label: "Unit", kind: .choice(["credit", "visit"])),
            Field(name: "amount", label: "Amount", kind: .integer),
            Field(name: "expires_at", label: "Expires (UTC)", kind: .instant, isRequired: false), newUser,
            reason,
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
