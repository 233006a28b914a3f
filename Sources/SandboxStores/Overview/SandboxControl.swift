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
        SandboxControl("POST", "/sandbox/receipts", "makes a receipt that holds any given transactions"),
        SandboxControl("GET", "/sandbox/transactions/{id}", "says how a purchase is"),
        SandboxControl(
            "POST",
            "/sandbox/transactions/{id}/{step}",
            "moves a purchase on: \(SandboxStores.transactionSteps.joined(separator: ", "))"
        ),
        SandboxControl(
            "POST",
            "/sandbox/subscriptions/{original_transaction_id}/{step}",
            "moves a subscription on: \(SandboxStores.subscriptionSteps.joined(separator: ", "))"
        ),
        SandboxControl("GET", "/sandbox/clock", "returns the clock"),
        SandboxControl("POST", "/sandbox/clock", "moves it forward: {\"advance_seconds\"}; renews what is due"),
        SandboxControl("POST", "/sandbox/faults", "makes the next calls of a store fail: {\"target\"}"),
        SandboxControl("DELETE", "/sandbox/faults", "makes them work again"),
        SandboxControl("GET", "/sandbox/notifications", "lists what the stores sent to the wallet"),
        SandboxControl("POST", "/sandbox/notifications", "holds back what comes, or not: {\"enabled\"}"),
        SandboxControl("POST", "/sandbox/notifications/{id}/redeliver", "sends one once more"),
        SandboxControl("POST", "/sandbox/app-transactions", "signs the app transaction of a user: {\"user_id\"}"),
        SandboxControl("GET", "/sandbox/consumptions", "lists what was reported of consumption"),
        SandboxControl("GET", "/sandbox/refund-reviews", "lists what was answered to reviews of refunds"),
        SandboxControl("GET", "/sandbox/calls", "counts the calls of the verification endpoint"),
        SandboxControl("GET", "/sandbox/root.cer", "returns the root certificate of what the App Store signs here"),
    ]
}
