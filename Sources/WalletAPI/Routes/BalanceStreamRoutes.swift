import HTTPTypes
import Hummingbird
import Wallet

/// Streams a user's balance as it changes.
///
/// - `GET /balance/stream` (user): server-sent events
struct BalanceStreamRoutes {
    static let path = "/balance/stream"

    let wallet: Wallet
    let streams: BalanceStreams

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.get(RouterPath(Self.path), use: self.stream)
    }

    @Sendable
    private func stream(_ request: Request, _ context: UserRequestContext) async throws -> Response {
        let seat = try await self.streams.open(
            context.bearer,
            in: self.wallet.environment(of: context.user, in: request),
            after: request.headers[.lastEventID],
            on: context.channel
        )
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no"],
            body: ResponseBody { writer in try await seat.stream.write(to: &writer) }
        )
    }
}
