extension RevenueCatMessage {
    /// Returns an event that transfers a customer's subscriptions to another customer; it contains neither purchases
    /// nor owners.
    func transferEvent() throws(StoreError) -> StoreEvent {
        let from = try self.userIDs("transferred_from")
        let to = try self.userIDs("transferred_to")
        guard !from.isEmpty, !to.isEmpty else { throw StoreError(.unreadable) }
        var event = self.bareEvent()
        event.transfer = .init(
            environment: try self.environment("environment"),
            from: from,
            to: to,
            at: try self.reportedAt()
        )
        return event
    }
}
