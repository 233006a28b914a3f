import Foundation
import Hummingbird
import Logging

extension SandboxStores {
    private struct ClockMove: Decodable {
        let advanceSeconds: Int
        let renew: Bool?
    }

    private struct ClockView: ResponseEncodable {
        let offsetSeconds: Int
        let now: String
    }

    private static let longestMove = 10 * 366 * 86_400

    func addClockRoutes(to router: Router<SandboxContext>) {
        router.get("sandbox/clock") { _, _ in await self.clock }
        let moves = router.group("sandbox/clock").add(middleware: CatalogueMiddleware(ledger: self.ledger))
        moves.post { request, context in
            let move = try await request.control(ClockMove.self, context)
            guard (0...Self.longestMove).contains(move.advanceSeconds) else {
                throw ControlRefusal.member(
                    "advance_seconds",
                    "must be from 0 to \(Self.longestMove), because the clock cannot move back",
                    received: "\(move.advanceSeconds)"
                )
            }
            do {
                try await self.ledger.advanceClock(
                    SandboxLedger.ClockMove(
                        seconds: move.advanceSeconds,
                        renews: move.renew ?? true,
                        // Without the Google Play part, the app cannot acknowledge purchases.
                        refundsUnacknowledged: self.play != nil,
                        notify: { happenings in await self.poster.post(happenings) }
                    )
                )
            } catch {
                context.logger.error(
                    "the clock was not moved, because the database's clock could not be moved",
                    metadata: ["error": "\(error)"]
                )
                throw ControlRefusal(
                    status: .serviceUnavailable,
                    slug: "clock-not-moved",
                    title: "The clock was not moved",
                    detail: "The database's clock could not be moved; see the log of the dev command."
                )
            }
            return await self.clock
        }
    }

    private var clock: ClockView {
        get async {
            ClockView(offsetSeconds: await self.ledger.offsetSeconds, now: await self.ledger.now.formatted(.iso8601))
        }
    }
}
