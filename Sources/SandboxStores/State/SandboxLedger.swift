import Foundation

/// The sales of the stores and their clock; an actor, so that every control sees the effects of the previous one.
actor SandboxLedger {
    private let file: StateFile?
    private let catalogue: @Sendable () async throws -> [SandboxProduct]
    private var products: [String: SandboxProduct] = [:]
    private let moveClock: @Sendable (Int) async throws -> Void
    var lastMove: Task<Void, any Error>?
    /// The end of the last events, before which no further event is dated.
    private var lastInstant = Date.distantPast
    private(set) var state: SandboxState

    let defaultBundleID: String

    init(configuration: SandboxStoresConfiguration) throws {
        self.file = try configuration.directory.map(StateFile.init(directory:))
        self.state = try self.file?.load() ?? SandboxState()
        self.defaultBundleID = configuration.bundleID
        self.moveClock = configuration.onClockAdvance
        self.catalogue = configuration.catalogue
        self.products = Self.byName(configuration.products)
    }

    /// Reloads the catalogue; removed products stay available for the renewal of their subscriptions.
    /// - Throws: The error that prevents reading the catalogue.
    func readCatalogue() async throws {
        let products = Self.byName(try await self.catalogue())
        self.products.merge(products) { $1 }
    }

    private static func byName(_ products: [SandboxProduct]) -> [String: SandboxProduct] {
        let named = products.flatMap { product in
            [product.storeProductID, product.playStoreProductID, product.alias].compactMap { $0 }.map { ($0, product) }
        }
        return Dictionary(named) { first, _ in first }
    }

    /// The products for sale without duplicates, sorted by id.
    var productsForSale: [SandboxProduct] {
        Set(self.products.values).sorted { $0.storeProductID < $1.storeProductID }
    }

    func product(_ id: String) throws -> SandboxProduct {
        guard let product = self.products[id] else { throw ControlRefusal.notFound("product") }
        return product
    }

    func transaction(_ id: String) throws -> SandboxTransaction {
        guard let transaction = self.state.transactions[id] else { throw ControlRefusal.notFound("transaction") }
        return transaction
    }

    var offsetSeconds: Int { self.state.offsetSeconds }

    /// The stores' clock, truncated to whole milliseconds like the stores' data.
    var now: Date {
        self.machineTime + Double(self.state.offsetSeconds)
    }

    /// The machine's clock, truncated to whole milliseconds.
    var machineTime: Date {
        Date(timeIntervalSince1970: (Date().timeIntervalSince1970 * 1_000).rounded(.down) / 1_000)
    }

    /// The stores' time, but not before the end of the last events.
    var nextInstant: Date { max(self.now, self.lastInstant) }

    /// Sets both clocks, the database's clock first.
    func setClock(_ offset: Int) async throws {
        guard offset != self.state.offsetSeconds else { return }
        try await self.moveClock(offset)
        try self.change { $0.offsetSeconds = offset }
    }

    /// Changes one transaction.
    func actOnTransaction(
        _ id: String,
        _ body: (inout SandboxTransaction, Date) throws -> SandboxEvent.Kind?
    ) throws -> ControlOutcome {
        var transaction = try self.transaction(id)
        return try self.act { state, now in
            let kind = try body(&transaction, now)
            state.transactions[id] = transaction
            return kind.map { Deed(transaction, $0) } ?? Deed(transaction)
        }
    }

    /// Changes the newest period of a subscription and the subscription's state.
    func actOnChain(
        _ originalID: String,
        _ body: (inout SandboxState, inout SandboxSubscription, SandboxTransaction, Date) throws -> Deed
    ) throws -> ControlOutcome {
        try self.act { state, now in
            guard let newest = state.periods(of: originalID).last else { throw ControlRefusal.notFound("subscription") }
            var chain = state.chains[originalID] ?? SandboxSubscription(isRenewing: false)
            let deed = try body(&state, &chain, newest, now)
            state.chains[originalID] = chain
            return deed
        }
    }

    /// Makes a change, saves it and returns the events.
    ///
    /// Each event has its own millisecond, since receivers order events by the store's time.
    func act(_ body: (inout SandboxState, Date) throws -> Deed) throws -> ControlOutcome {
        let now = self.nextInstant
        let deed = try self.change { try body(&$0, now) }
        self.lastInstant = now + Double(deed.steps.count) / 1_000
        let state = self.state
        let happenings = deed.steps.enumerated().map { index, step in
            SandboxEvent(
                kind: step.kind,
                transaction: step.transaction,
                previous: step.previous,
                chain: state.chains[step.transaction.originalID],
                at: now + Double(index) / 1_000,
                state: state
            )
        }
        return ControlOutcome(transaction: deed.transaction, receipt: deed.receipt, happenings: happenings)
    }

    /// Makes a change and saves it; if the change throws or cannot be saved, the state stays unchanged.
    func change<Result>(_ body: (inout SandboxState) throws -> Result) throws -> Result {
        var changed = self.state
        let result = try body(&changed)
        try self.file?.save(changed)
        self.state = changed
        return result
    }

    /// The result of a change before it is saved.
    struct Deed {
        let transaction: SandboxTransaction
        var receipt: String?
        var steps: [Step]

        init(_ transaction: SandboxTransaction, receipt: String? = nil, _ steps: [Step] = []) {
            self.transaction = transaction
            self.receipt = receipt
            self.steps = steps
        }

        init(_ transaction: SandboxTransaction, receipt: String? = nil, _ kind: SandboxEvent.Kind) {
            self.init(transaction, receipt: receipt, [Step(kind: kind, transaction: transaction)])
        }
    }

    struct Step {
        let kind: SandboxEvent.Kind
        let transaction: SandboxTransaction
        var previous: SandboxTransaction?
    }
}

/// The file that keeps the state across restarts; each write replaces it completely.
struct StateFile: Sendable {
    private let url: URL

    /// Opens the file in a folder, which is created if necessary.
    init(directory: String) throws {
        let folder = URL(fileURLWithPath: directory, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.url = folder.appendingPathComponent("sandbox-stores.json")
    }

    /// Returns the last saved state, or a new one if there is none.
    func load() throws -> SandboxState {
        guard FileManager.default.fileExists(atPath: self.url.path) else { return SandboxState() }
        do {
            return try JSONDecoder().decode(SandboxState.self, from: Data(contentsOf: self.url))
        } catch {
            throw SandboxStoresError(.unreadableState)
        }
    }

    func save(_ state: SandboxState) throws {
        try JSONEncoder().encode(state).write(to: self.url, options: .atomic)
    }
}
