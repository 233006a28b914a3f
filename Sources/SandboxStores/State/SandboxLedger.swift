import Foundation

/// What the stores sold, and their clock: one actor, so that every control sees the last one's effect.
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

    /// Reads the catalogue again; what is gone from it goes on for those who subscribed to it.
    /// - Throws: what keeps the catalogue from being read.
    func readCatalogue() async throws {
        let products = Self.byName(try await self.catalogue())
        self.products.merge(products) { $1 }
    }

    /// What the stores sell, each product once, by name.
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

    /// The stores' clock, cut to whole milliseconds as the stores write it.
    var now: Date {
        self.machineTime + Double(self.state.offsetSeconds)
    }

    /// The machine's clock, cut to whole milliseconds.
    var machineTime: Date {
        Date(timeIntervalSince1970: (Date().timeIntervalSince1970 * 1_000).rounded(.down) / 1_000)
    }

    /// The stores' time, later than that of everything that happened before.
    var nextInstant: Date { max(self.now, self.lastInstant) }

    /// Lets nothing happen before an instant any more.
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

    /// Makes a change and keeps it; a change that throws or cannot be written has not happened.
    func change<Result>(_ body: (inout SandboxState) throws -> Result) throws -> Result {
        var changed = self.state
        let result = try body(&changed)
        try self.file?.save(changed)
        self.state = changed
        return result
    }

    /// Sets both clocks, the database's first.
    func setClock(_ offset: Int) async throws {
        guard offset != self.state.offsetSeconds else { return }
        try await self.moveClock(offset)
        try self.change { $0.offsetSeconds = offset }
    }
}
