import Foundation

/// The event that reports a move of a subscription to another customer: it names neither product nor transaction.
struct RevenueCatTransfer {
    let transaction: SandboxTransaction
    let from: String
    let to: String
    let reportedAt: Date

    /// The event's id, the same at every delivery.
    var id: String { RevenueCatEvent.id(of: "TRANSFER:\(self.transaction.id):\(self.to)", at: self.reportedAt) }

    /// The body as it is posted.
    var body: StoreJSON {
        [
            "api_version": "1.0",
            "event": [
                "type": "TRANSFER",
                "id": .text(self.id),
                "app_id": "app0000000001",
                "event_timestamp_ms": .milliseconds(self.reportedAt),
                "store": .text(self.transaction.store.rawValue.uppercased()),
                "environment": .text(self.transaction.environment.rawValue.uppercased()),
                "transferred_from": [.text(self.from)],
                "transferred_to": [.text(self.to)],
                "subscriber_attributes": [:],
            ],
        ]
    }
}
