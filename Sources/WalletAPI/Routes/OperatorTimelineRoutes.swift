import Hummingbird
import Wallet

/// Returns the history of a user to operators.
///
/// - `GET /operator/timeline?user_id=` (operator)
struct OperatorTimelineRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<OperatorRequestContext>) {
        group.get("operator/timeline", use: self.timeline)
    }

    @Sendable
    private func timeline(
        _ request: Request,
        _ context: OperatorRequestContext
    ) async throws -> JSONAnswer<PagedAnswer<TimelineFact>> {
        let user = try request.query(naming: "user_id")
        let page = try await self.wallet.timeline(of: UserID(rawValue: user), page: request.page())
        return JSONAnswer(PagedAnswer("facts", page))
    }
}
