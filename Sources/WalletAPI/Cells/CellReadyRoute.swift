import HTTPTypes
import Hummingbird
import Wallet

/// Informs whatever sends requests whether they may be sent here, and how each wallet is.
///
/// - `GET /ready` (public): at least one wallet can be used
struct CellReadyRoute {
    private struct Answer: Encodable {
        let status: String
        let wallets: [String: String]
    }

    /// How long one wallet may take to say so: a probe must not fail because one of several hangs.
    private static let patience = Duration.milliseconds(500)

    let drain: DrainGate
    let cells: [WalletCell]

    func add(to group: some RouterMethods<AppRequestContext>) {
        group.get("ready", use: self.ready)
    }

    @Sendable
    private func ready(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        try self.drain.refuseReadiness()
        let ready = await self.readyNames()
        let wallets = Dictionary(
            uniqueKeysWithValues: self.cells.map { ($0.name, ready.contains($0.name) ? "ready" : "not-ready") }
        )
        guard !ready.isEmpty else {
            throw Problem(
                .serviceUnavailable,
                "not-ready",
                "No wallet's database answers as it should.",
                members: ["wallets": .object(wallets.mapValues(JSONValue.text))],
                retryAfter: 5
            )
        }
        return try JSONAnswer(Answer(status: "ready", wallets: wallets), headers: [.cacheControl: "no-store"])
            .response()
    }

    private func readyNames() async -> Set<String> {
        await withTaskGroup(of: String?.self) { group in
            for cell in self.cells {
                group.addTask { await Self.isReady(cell.server) ? cell.name : nil }
            }
            return await group.reduce(into: []) { names, name in
                if let name { names.insert(name) }
            }
        }
    }

    /// Asks one wallet, and goes on without it when it takes too long: a statement that is under way ends when it likes.
    private static func isReady(_ server: WalletServer) async -> Bool {
        let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
        let asking = Task { answer.yield(await server.isReady()) }
        let waiting = Task {
            // Cancelled as soon as the wallet has answered; being cut short is then the point.
            try? await Task.sleep(for: self.patience)
            answer.yield(false)
        }
        defer {
            asking.cancel()
            waiting.cancel()
        }
        return await answers.first { _ in true } ?? false
    }
}
