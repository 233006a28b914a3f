import Foundation

/// What the stores sold, and their clock: one actor, so that every control sees the last one's effect.
actor SandboxLedger {
    private let file: StateFile?
    private let products: [String: SandboxProduct]
    private let moveClock: @Sendable (Int) async throws -> Void
    private var lastMove: Task<Void, any Error>?
    private var lastInstant = Date.distantPast
    private(set) var state: SandboxState

    let defaultBundleID: String

    init(configuration: SandboxStoresConfiguration) throws {
        self.file = try configuration.directory.map(StateFile.init(directory:))
        self.state = try self.file?.load() ?? SandboxState()
        self.defaultBundleID = configuration.bundleID
        self.moveClock = configuration.onClockAdvance
        var products: [String: SandboxProduct] = [:]
        for product in configuration.products {
            products[product.storeProductID] = product
            if let alias = product.alias { products[alias] = product }
        }
        self.products = products
    }

    var offsetSeconds: Int { self.state.offsetSeconds }

    /// The stores' clock, cut to whole milliseconds as the stores write it.
    var now: Date {
        let milliseconds = (Date().timeIntervalSince1970 * 1_000).rounded(.down)
        return Date(timeIntervalSince1970: milliseconds / 1_000 + Double(self.state.offsetSeconds))
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

    /// Moves the clock forward; moves that come at once happen one after the other.
    func advanceClock(by seconds: Int) async throws {
        let previous = self.lastMove
        let move = Task {
            _ = await previous?.result
            let offset = self.state.offsetSeconds + seconds
            try await self.moveClock(offset)
            try self.change { $0.offsetSeconds = offset }
        }
        self.lastMove = move
        try await move.value
    }
}
