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
                group.addTask {
                    await Self.holds(within: Self.patience) { await cell.server.isReady() } ? cell.name : nil
                }
            }
            return await group.reduce(into: []) { names, name in
                if let name { names.insert(name) }
            }
        }
    }

    /// Asks a question, and takes what is not answered in time for a no.
    ///
    /// A statement that is under way cannot be cut short, and a group would wait for it: so nobody waits for these tasks.
    static func holds(within patience: Duration, _ question: @escaping @Sendable () async -> Bool) async -> Bool {
        let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
        Task { answer.yield(await question()) }
        let alarm = Task {
            // Cut short as soon as there is an answer; nobody reads what it says then.
            try? await Task.sleep(for: patience)
            answer.yield(false)
        }
        defer { alarm.cancel() }
        return await answers.first { _ in true } ?? false
    }
}
