import AsyncHTTPClient
import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import SandboxStores
import Stores
import Synchronization
import Testing

let starter = "com.example.credits.starter"
let monthly = "com.example.plan.monthly"
let appBundle = "com.example.app"

/// Running sandbox stores on their own port, and verifiers of their receipts.
struct Sandbox: Sendable {
    struct Sale: Decodable, Sendable {
        let transactionID: String
        let originalTransactionID: String
        let receipt: String

        private enum CodingKeys: String, CodingKey {
            case transactionID = "transaction_id"
            case originalTransactionID = "original_transaction_id"
            case receipt
        }
    }

    let url: String
    let client: HTTPClient
    let clock = ManualClock()
    let logs = LogCollector()

    /// Starts stores on a free port, runs the body and stops them.
    static func run(sharedSecret: String? = nil, _ body: @Sendable (Sandbox) async throws -> Void) async throws {
        let stores = try SandboxStores(
            configuration: SandboxStoresConfiguration(
                port: 0,
                directory: nil,
                products: [
                    SandboxProduct(storeProductID: starter, kind: .consumable),
                    SandboxProduct(storeProductID: monthly, kind: .subscription),
                ],
                bundleID: appBundle,
                sharedSecret: sharedSecret
            ),
            logger: .silent
        )
        // By default, a call fails after waiting ten seconds for a connection, which a thousand calls at once may do on a
        // busy machine.
        var patient = HTTPClient.Configuration()
        patient.timeout.connect = .seconds(120)
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: patient)
        let serving = Task { try await stores.run() }
        do {
            try await body(Sandbox(url: "http://127.0.0.1:\(try await stores.boundPort())", client: client))
        } catch {
            try await client.shutdown()
            serving.cancel()
            throw error
        }
        // Shuts the client down first: a connection that arrives while the stores stop crashes the process.
        try await client.shutdown()
        serving.cancel()
    }

    func verifier(
        sharedSecret: String? = nil,
        _ change: (inout AppStoreReceiptConfiguration) -> Void = { _ in }
    ) -> AppStoreReceiptVerifier {
        var configuration = AppStoreReceiptConfiguration(
            bundleIDs: [appBundle],
            sharedSecret: sharedSecret,
            productionURL: "\(self.url)/verifyReceipt",
            sandboxURL: "\(self.url)/sandbox/verifyReceipt"
        )
        configuration.limits.retryDelay = .milliseconds(5)
        configuration.limits.attemptTimeout = .seconds(20)
        change(&configuration)
        return AppStoreReceiptVerifier(
            configuration: configuration,
            httpClient: self.client,
            logger: Logger(label: "test") { _ in CollectingLogHandler(collector: self.logs) },
            monotonicClock: { self.clock.now }
        )
    }

    func buy(_ product: String = starter, _ members: [String: any Sendable] = [:]) async throws -> Sale {
        var body: [String: any Sendable] = ["user_id": "ann", "product_id": product]
        body.merge(members) { $1 }
        return try JSONDecoder().decode(Sale.self, from: try await self.post("purchases", body))
    }

    func fault(_ members: [String: any Sendable]) async throws {
        _ = try await self.post("faults", members)
    }

    /// Returns the number of calls to each side of the verification endpoint.
    func calls() async throws -> [String: Int] {
        let response = try await self.client.execute(
            HTTPClientRequest(url: "\(self.url)/sandbox/calls"),
            timeout: .seconds(60)
        )
        let body = try await response.body.collect(upTo: 1_000)
        return try JSONDecoder().decode([String: Int].self, from: Data(buffer: body))
    }

    /// Expects the number of calls to each side of the verification endpoint; nil is not checked.
    func expectCalls(
        production: Int? = nil,
        sandbox: Int? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let counts = try await self.calls()
        if let production { #expect(counts["production"] == production, sourceLocation: sourceLocation) }
        if let sandbox { #expect(counts["sandbox"] == sandbox, sourceLocation: sourceLocation) }
    }

    @discardableResult
    func post(_ path: String, _ members: [String: any Sendable]) async throws -> Data {
        var request = HTTPClientRequest(url: "\(self.url)/sandbox/\(path)")
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(ByteBuffer(data: try JSONSerialization.data(withJSONObject: members)))
        let response = try await self.client.execute(request, timeout: .seconds(60))
        let body = Data(buffer: try await response.body.collect(upTo: 1_000_000))
        guard response.status == .ok else { throw ControlFailed(status: response.status.code) }
        return body
    }

    struct ControlFailed: Error {
        let status: UInt
    }
}

/// A monotonic clock that tests advance.
final class ManualClock: Sendable {
    private let offset = Mutex(Duration.zero)

    var now: ContinuousClock.Instant { .now.advanced(by: self.offset.withLock { $0 }) }

    func advance(by duration: Duration) {
        self.offset.withLock { $0 += duration }
    }
}

extension Sandbox {
    func clearFaults() async throws {
        var request = HTTPClientRequest(url: "\(self.url)/sandbox/faults")
        request.method = .DELETE
        let response = try await self.client.execute(request, timeout: .seconds(60))
        guard response.status == .noContent else { throw ControlFailed(status: response.status.code) }
    }
}
