import Foundation

extension WalletClient {
    private struct PassPage: Decodable {
        let passes: [Pass]
        let nextCursor: String?

        private enum CodingKeys: String, CodingKey {
            case passes
            case nextCursor = "next_cursor"
        }
    }

    /// Lists the user's passes and their uses, newest pass first.
    /// - Parameters:
    ///   - cursor: The ``Page/nextCursor`` of the previous page; nil for the first page.
    ///   - limit: The maximum number of passes; nil for the wallet's default.
    /// - Returns: A page of passes.
    /// - Throws: ``WalletProblem``.
    public func passes(cursor: String? = nil, limit: Int? = nil) async throws -> Page<Pass> {
        let call = WalletCall(path: ["passes"], query: [("cursor", cursor), ("limit", limit.map(String.init))])
        let page = try await self.send(call, as: PassPage.self).0
        return Page(items: page.passes, nextCursor: page.nextCursor)
    }

    /// Spends one visit of a pass without a booking, at most once for each reference.
    /// - Parameters:
    ///   - transactionID: The store's transaction id of the pass.
    ///   - reference: The app's own text for the visit's purpose. Repeating a reference spends nothing.
    /// - Returns: The number of visits left.
    /// - Throws: ``WalletProblem``, such as `purchase-not-found`, `not-a-pass`, `already-consumed`.
    public func consume(_ transactionID: String, reference: String) async throws -> PassUse {
        let call = WalletCall(
            method: "POST",
            path: ["purchases", transactionID, "consume"],
            body: try JSONEncoder().encode(["reference": reference])
        )
        return try await self.send(call, as: PassUse.self).0
    }
}
