import Foundation

/// The sales of the stores and their clock; an actor, so that every control sees the effects of the previous one.
actor SandboxLedger {
    private let file: StateFile?
    private let catalogue: @Sendable () async throws -> [SandboxProduct]
    private var products: [String: SandboxProduct] = [:]
    private let moveClock: @Sendable (Int) async throws -> Void
    var lastMove: Task<Void, any Error>?
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

    /// The products for sale without duplicates, sorted by id.
    var productsForSale: [SandboxProduct] {
        Set(self.products.values).sorted { $0.storeProductID < $1.storeProductID }
    }

    private static func byName(_ products: [SandboxProduct]) -> [String: SandboxProduct] {
        let named = products.flatMap { product in
            [product.storeProductID, product.playStoreProductID, product.alias].compactMap { $0 }.map { ($0, product) }
        }
        return Dictionary(named) { first, _ in first }
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

    /// Sets the earliest time of further events.
    func keepTime(_ instant: Date) {
        self.lastInstant = instant
    }

    func product(_ id: String) throws -> SandboxProduct {
        guard let product = self.products[id] else { throw ControlRefusal.notFound("product") }
        return product
    }

    func transaction(_ id: String) throws -> SandboxTransaction {
        guard let transaction = self.state.transactions[id] else { throw ControlRefusal.notFound("transaction") }
        return transaction
    }

    /// Makes a change and saves it; if the change throws or cannot be saved, the state stays unchanged.
    func change<Result>(_ body: (inout SandboxState) throws -> Result) throws -> Result {
        var changed = self.state
        let result = try body(&changed)
        try self.file?.save(changed)
        self.state = changed
        return result
    }

    /// Sets both clocks, the database's clock first.
    func setClock(_ offset: Int) async throws {
        guard offset != self.state.offsetSeconds else { return }
        try await self.moveClock(offset)
        try self.change { $0.offsetSeconds = offset }
    }
}
