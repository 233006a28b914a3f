import Foundation
import NIOHTTP1

extension AppStoreServerAPI {
    /// Reports to the store how much of a purchase was consumed, after the store requested it by a notification.
    ///
    /// Another report replaces the previous one. The store waits 12 hours for the report.
    /// - Parameters:
    ///   - consumption: The consumption of the purchase.
    ///   - transactionID: The transaction in the notification, which may be an old one.
    ///   - environment: The store environment that sent the request.
    /// - Throws: ``StoreError``: `notFound`, `rejected` with the store's code (also for an expired request),
    ///   `rateLimited` and `unavailable` with the seconds to wait, `misconfigured`.
    public func sendConsumption(
        _ consumption: ConsumptionInformation,
        of transactionID: String,
        in environment: StoreEnvironment
    ) async throws(StoreError) {
        guard let body = try? JSONEncoder().encode(consumption) else { throw StoreError(.unreadable) }
        let path = "/inApps/v2/transactions/consumption/\(try Self.segment(transactionID))"
        let question = AppStoreServerQuestion(
            operation: .appStoreConsumption,
            method: .PUT,
            path: path,
            body: body
        )
        _ = try await self.ask(question, of: environment)
    }
}
