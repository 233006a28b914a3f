import HTTPTypes
import Hummingbird
import JSON
import Synchronization
import Wallet

/// Indicates whether one of several wallets accepts requests: from the moment its database was first found usable.
///
/// The gate never closes again. If the database fails later, each request returns its own error.
public final class CellGate: Sendable {
    private let opened = Atomic<Bool>(false)

    /// Creates a closed gate.
    public init() {}

    /// A Boolean value that indicates whether the wallet accepts requests.
    public var isOpen: Bool { self.opened.load(ordering: .acquiring) }

    /// Opens the gate permanently.
    public func open() { self.opened.store(true, ordering: .releasing) }
}

/// Answers 503 for a wallet that is not usable yet, except for its health and readiness probes.
struct CellGateMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    private static let questions: Set = ["/health", "/ready"]

    let gate: CellGate

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        guard self.gate.isOpen || Self.questions.contains(request.uri.path) else {
            throw Problem(
                .serviceUnavailable,
                "database-unavailable",
                "The wallet's database cannot be used yet.",
                retryAfter: 5
            )
        }
        return try await next(request, context)
    }
}

/// Reports to load balancers whether this process accepts requests, and the state of each wallet.
///
/// - `GET /ready` (public): at least one wallet can be used
struct CellReadyRoute {
    private struct Answer: Encodable {
        let status: String
        let wallets: [String: String]
    }

    /// The maximum time for the check of one wallet, so that one hanging wallet does not fail the probe.
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
                "No wallet's database responds correctly.",
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

    /// Runs a check and returns `false` if it does not finish in time.
    ///
    /// A running statement cannot be cancelled, and a task group would wait for it. Therefore the check runs in an
    /// unstructured task.
    static func holds(within patience: Duration, _ question: @escaping @Sendable () async -> Bool) async -> Bool {
        let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
        Task { answer.yield(await question()) }
        let alarm = Task {
            // The sleep is cancelled as soon as there is an answer; the value yielded after that is ignored.
            try? await Task.sleep(for: patience)
            answer.yield(false)
        }
        defer { alarm.cancel() }
        return await answers.first { _ in true } ?? false
    }
}
