import Foundation
import Hummingbird
import Logging

extension SandboxStores {
    private struct ClockMove: Decodable {
        let advanceSeconds: Int
    }

    private struct ClockView: ResponseEncodable {
        let offsetSeconds: Int
        let now: String
    }

    private static let longestMove = 10 * 366 * 86_400

    func addClockRoutes(to router: Router<SandboxContext>) {
        router.get("sandbox/clock") { _, _ in await self.clock }
        router.post("sandbox/clock") { request, context in
            let move = try await request.decode(as: ClockMove.self, context: context)
            guard (0...Self.longestMove).contains(move.advanceSeconds) else {
                throw ControlRefusal.invalid("advance_seconds is 0 to \(Self.longestMove): the clock never runs back")
            }
            do {
                try await self.ledger.advanceClock(by: move.advanceSeconds)
            } catch {
                context.logger.error("the clock stays: the database's did not move", metadata: ["error": "\(error)"])
                throw ControlRefusal(
                    status: .serviceUnavailable,
                    error: "clock-not-moved",
                    detail: "the database's clock could not be moved"
                )
            }
            // Nobody can acknowledge a purchase where Google Play does not answer.
            if self.play != nil { await self.poster.post(try await self.ledger.refundUnacknowledged()) }
            return await self.clock
        }
    }

    private var clock: ClockView {
        get async {
            ClockView(offsetSeconds: await self.ledger.offsetSeconds, now: await self.ledger.now.formatted(.iso8601))
        }
    }
}
