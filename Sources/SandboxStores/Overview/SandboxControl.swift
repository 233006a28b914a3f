/// A control in the overview.
struct SandboxControl: Encodable {
    let method: String
    let path: String
    let does: String

    private init(_ method: String, _ path: String, _ does: String) {
        self.method = method
        self.path = path
        self.does = does
    }

    /// All controls; a test calls each of them.
    static let all = [
        SandboxControl("GET", "/sandbox", "lists controls, products, subscriptions and the latest purchases"),
        SandboxControl("POST", "/sandbox/purchases", "buys a product for a user: {\"user_id\", \"product_id\"}"),
        SandboxControl("POST", "/sandbox/receipts", "creates a receipt for the given transactions"),
        SandboxControl("GET", "/sandbox/transactions/{id}", "returns a purchase"),
        SandboxControl(
            "POST",
            "/sandbox/transactions/{id}/{step}",
            "changes a purchase: \(SandboxStores.transactionSteps.joined(separator: ", "))"
        ),
        SandboxControl(
            "POST",
            "/sandbox/subscriptions/{original_transaction_id}/{step}",
            "changes a subscription: \(SandboxStores.subscriptionSteps.joined(separator: ", "))"
        ),
        SandboxControl("GET", "/sandbox/clock", "returns the clock"),
        SandboxControl(
            "POST",
            "/sandbox/clock",
            "moves the clock forward: {\"advance_seconds\"}; renews due subscriptions"
        ),
        SandboxControl("POST", "/sandbox/faults", "makes the next calls of a store fail: {\"target\"}"),
        SandboxControl("DELETE", "/sandbox/faults", "removes the faults"),
        SandboxControl("GET", "/sandbox/notifications", "lists the notifications sent to the wallet"),
        SandboxControl("POST", "/sandbox/notifications", "turns notifications on or off: {\"enabled\"}"),
        SandboxControl("POST", "/sandbox/notifications/{id}/redeliver", "sends a notification again"),
        SandboxControl("POST", "/sandbox/app-transactions", "signs the app transaction of a user: {\"user_id\"}"),
        SandboxControl("GET", "/sandbox/consumptions", "lists the reported consumption"),
        SandboxControl("GET", "/sandbox/refund-reviews", "lists the responses to refund reviews"),
        SandboxControl("GET", "/sandbox/calls", "counts the calls of the verification endpoint"),
        SandboxControl("GET", "/sandbox/root.cer", "returns the root certificate of the App Store's signatures"),
    ]
}
