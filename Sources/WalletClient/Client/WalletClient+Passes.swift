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

    /// Lists the user's passes with what they were used for, the last one granted first.
    /// - Parameters:
    ///   - cursor: where to go on; nil for the first page.
    ///   - limit: how many at most.
    /// - Returns: a page of passes.
    /// - Throws: ``WalletProblem``.
    public func passes(cursor: String? = nil, limit: Int? = nil) async throws -> Page<Pass> {
        let call = WalletCall(path: ["passes"], query: [("cursor", cursor), ("limit", limit.map(String.init))])
        let page = try await self.send(call, as: PassPage.self).0
        return Page(items: page.passes, nextCursor: page.nextCursor)
    }

    /// Spends one visit of a pass without a booking, once for a reference.
    /// - Parameters:
    ///   - transactionID: the purchase of the pass.
    ///   - reference: what the visit is spent for, in the app's own words; again it spends nothing.
    /// - Returns: what is left.
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
