import Stores
import Wallet

extension Inbox {
    /// Asks the store what a message only hints at, and tells it what the message asks.
    ///
    /// - Parameter event: The message as it was read.
    /// - Returns: The message with all that is needed to apply it.
    /// - Throws: ``StoreError`` when the store does not answer, ``WalletError`` when the database does not.
    func answer(_ event: StoreEvent) async throws -> StoreEvent {
        var event = event
        if event.question != nil {
            guard let googlePlay = self.stores.googlePlay else {
                throw WalletAPIError.configuration("Google Play is not enabled.")
            }
            event = try await googlePlay.answer(event)
            event.question = nil
        }
        if let transactionID = event.consumptionRequest {
            try await self.tellConsumption(of: transactionID, event)
            event.consumptionRequest = nil
        }
        return event
    }

    /// Tells the App Store how much of a purchase was used, before it decides on a refund.
    private func tellConsumption(of transactionID: String, _ event: StoreEvent) async throws {
        guard self.stores.sharesConsumption, let api = self.stores.serverAPI, let fact = event.statements.first?.fact,
            let used = try await self.wallet.consumption(
                of: transactionID,
                in: .appStore,
                environment: fact.environment
            )
        else { return }
        try await api.sendConsumption(
            ConsumptionInformation(granted: used.granted, spent: used.spent, kind: fact.kind),
            of: transactionID,
            in: fact.environment
        )
    }
}
