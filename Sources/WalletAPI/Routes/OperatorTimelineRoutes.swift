import Hummingbird
import Wallet

/// Shows operators what happened to a user.
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
        guard let user = try request.query("user_id") else { throw Problem.parameter("user_id", "is required") }
        guard (1...320).contains(user.unicodeScalars.count) else {
            throw Problem.parameter("user_id", "must be 1 to 320 characters", Received(user))
        }
        let page = try await self.wallet.timeline(of: UserID(rawValue: user), page: request.page())
        return JSONAnswer(PagedAnswer("facts", page))
    }
}
