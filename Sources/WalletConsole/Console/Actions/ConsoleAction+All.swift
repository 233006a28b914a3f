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
        about: "Adds credits or visits, or takes them (a negative amount). Goodwill is a gift.",
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
        about: "Gives credits or visits, which may expire, and which lapse when the user's account is deleted.",
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
        about: "Cancels as the user would: what a late cancellation keeps is kept.",
        route: "actions/cancel-booking",
        needs: .support,
        fields: [user, environment, booking, reason]
    )

    static let cancelInFull = ConsoleAction(
        name: "cancel-booking-in-full",
        title: "Cancel the booking, and return all",
        about: "Cancels as the studio does: all that the booking took comes back, however late it is.",
        route: "actions/cancel-booking",
        needs: .operator,
        movesMoney: true,
        fields: [user, environment, booking, reason],
        fixed: ["in_full": true]
    )

    static let waive = ConsoleAction(
        name: "waive-cancellation",
        title: "Waive the late cancellation",
        about: "Returns what a late cancellation kept.",
        route: "actions/waive-cancellation",
        needs: .operator,
        movesMoney: true,
        fields: [user, environment, booking, reason]
    )

    static let release = ConsoleAction(
        name: "release-purchase",
        title: "Release the purchase",
        about: "Takes the purchase from this user, so that another who proves it may restore it.",
        route: "actions/release-purchase",
        needs: .admin,
        movesMoney: true,
        fields: [user, environment, claim, reason]
    )

    static let keep = ConsoleAction(
        name: "keep-purchase",
        title: "Take the release back",
        about: "The purchase is this user's again.",
        route: "actions/keep-purchase",
        needs: .admin,
        movesMoney: true,
        fields: [user, environment, claim, reason]
    )

    static let resolve = ConsoleAction(
        name: "resolve-flag",
        title: "Resolve the flag",
        about: "Dismissed: nothing was wrong. Blocked: the account gets no grants and books nothing any more.",
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
        title: "Carry the message out again",
        about: "Tries a store's message again that was not processed.",
        route: "actions/replay-message",
        needs: .support,
        fields: [Field(name: "inbox_id", label: "Message", kind: .given), reason]
    )

    static let resend = ConsoleAction(
        name: "resend-event",
        title: "Send the event again",
        about: "Puts the event back in line for the endpoint.",
        route: "actions/resend-event",
        needs: .support,
        fields: [Field(name: "event_id", label: "Event", kind: .given), reason]
    )

    static let sendTest = ConsoleAction(
        name: "send-test-event",
        title: "Send a test to the endpoint",
        about: "Sends endpoint.test, which means nothing, so that you see whether the endpoint takes what is sent.",
        route: "actions/send-test-event",
        needs: .support,
        fields: [user, reason]
    )

    static let tester = ConsoleAction(
        name: "set-tester",
        title: "Let the user test, or end it",
        about: "A tester acts on the sandbox wallet wherever the app does not say which is meant.",
        route: "actions/set-tester",
        needs: .support,
        fields: [user, Field(name: "tester", label: "Is a tester", kind: .choice(["true", "false"])), reason]
    )
}
