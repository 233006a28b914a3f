import Foundation

/// The event of a subscription's transfer to another customer; it contains neither product nor transaction.
struct RevenueCatTransfer {
    let transaction: SandboxTransaction
    let from: String
    let to: String
    let reportedAt: Date

    /// The id of the event, the same for every delivery.
    var id: String { RevenueCatEvent.id(of: "TRANSFER:\(self.transaction.id):\(self.to)", at: self.reportedAt) }

    /// The body to post.
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
