import Foundation
import NIOHTTP1

extension AppStoreServerAPI {
    /// Reports to the store how much of a purchase was used, after it has asked by a notification.
    ///
    /// Sent again, it replaces what was reported before. The store waits 12 hours for it.
    /// - Parameters:
    ///   - consumption: how much was used.
    ///   - transactionID: the transaction that the notification named, which may be an old one.
    ///   - environment: the side that asked.
    /// - Throws: ``StoreError``: `notFound`, `rejected` with the store's code (a request that has lapsed too),
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
