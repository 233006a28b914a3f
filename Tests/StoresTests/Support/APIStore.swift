import AsyncHTTPClient
import Crypto
import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import NIOFoundationCompat
import Stores
import Synchronization
import Testing

/// The App Store Server API on loopback, with production and sandbox under two paths of one port.
final class APIStore: Sendable {
    /// A received request.
    struct Call: Sendable {
        let side: StoreEnvironment?
        let method: String
        /// The path and query after `/production` or `/sandbox`, not decoded.
        let path: String
        let authorization: String?
        let contentType: String?
        let body: Data

        var members: [String: Any] {
            (try? JSONSerialization.jsonObject(with: self.body)) as? [String: Any] ?? [:]
        }
    }

    struct Answer: Sendable {
        var status = 200
        var headers: HTTPFields = [:]
        var body = "{}"
        var delay = Duration.zero

        static let notFound = Answer(code: 4_040_010)

        init(status: Int = 200, headers: HTTPFields = [:], body: String = "{}") {
            self.status = status
            self.headers = headers
            self.body = body
        }

        /// Creates the store's error response; the HTTP status is part of the code.
        init(code: Int, headers: HTTPFields = [:]) {
            let body = #"{"errorCode":\#(code),"errorMessage":"An error."}"#
            self.init(status: code / 10_000, headers: headers, body: body)
        }

        init(_ members: [String: any Sendable]) throws {
            self.init(body: String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self))
        }
    }

    typealias Answering = @Sendable (Call) throws -> Answer

    /// A script for a store whose client has the default limits.
    struct Script: Sendable {
        let answering: Answering

        static func answering(_ answering: @escaping Answering) -> Script {
            Script(answering: answering)
        }
    }

    let key = P256.Signing.PrivateKey()
    let logs = LogCollector()
    let clock = ManualClock()
    private let answering: Answering
    private let received = Mutex<[Call]>([])

    private init(answering: @escaping Answering) {
        self.answering = answering
    }

    var calls: [Call] { self.received.withLock { $0 } }

    /// Returns the number of calls to each environment.
    func count(_ side: StoreEnvironment) -> Int {
        self.calls.count { $0.side == side }
    }

    /// Runs the body with a client of a store with scripted responses.
    static func run(
        answering: @escaping Answering,
        change: @escaping @Sendable (inout AppStoreServerAPIConfiguration) -> Void = { _ in },
        trust: @escaping @Sendable (inout SignedDataConfiguration) -> Void = { _ in },
        wallClock: @escaping @Sendable () -> Date = { Date() },
        check: @escaping @Sendable (AppStoreServerAPI, APIStore) async throws -> Void
    ) async throws {
        let store = APIStore(answering: answering)
        let responder = CallbackResponder<BasicRequestContext> { request, _ in
            request.uri.path == "/ready" ? Response(status: .ok) : try await store.respond(to: request)
        }
        try await Application(responder: responder, logger: .silent).test(.live) { client in
            // Connects the test client first: a server that stops before it accepts this connection crashes the
            // process.
            _ = try await client.execute(uri: "/ready", method: .get)
            let url = "http://localhost:\(try #require(client.port))"
            let httpClient = HTTPClient(eventLoopGroupProvider: .singleton)
            do {
                var configuration = store.configuration(url: url)
                change(&configuration)
                var trusted = SignedDataConfiguration(bundleIDs: [appBundle, otherBundle])
                trusted.roots = [try APISigner.rootCertificate()]
                trust(&trusted)
                let verifier = SignedDataVerifier(configuration: trusted, httpClient: httpClient, logger: .silent)
                let api = try store.client(configuration, verifier, httpClient: httpClient, wallClock: wallClock)
                try await check(api, store)
            } catch {
                try await httpClient.shutdown()
                throw error
            }
            try await httpClient.shutdown()
        }
    }

    /// Runs the body with a client of a store with scripted responses.
    static func run(
        _ script: Script,
        check: @escaping @Sendable (AppStoreServerAPI, APIStore) async throws -> Void
    ) async throws {
        try await self.run(answering: script.answering, check: check)
    }

    private func configuration(url: String) -> AppStoreServerAPIConfiguration {
        var configuration = AppStoreServerAPIConfiguration(
            issuerID: "57246542-96fe-1a63-e053-0824d011072a",
            keyID: "2X9R4HXF34",
            privateKeyPEM: self.key.pemRepresentation,
            bundleID: appBundle,
            productionURL: "\(url)/production",
            sandboxURL: "\(url)/sandbox"
        )
        configuration.limits.retryDelay = .milliseconds(5)
        configuration.callsPerSecond = 1_000
        return configuration
    }

    private func client(
        _ configuration: AppStoreServerAPIConfiguration,
        _ verifier: SignedDataVerifier,
        httpClient: HTTPClient,
        wallClock: @escaping @Sendable () -> Date
    ) throws -> AppStoreServerAPI {
        try AppStoreServerAPI(
            configuration: configuration,
            verifier: verifier,
            httpClient: httpClient,
            logger: Logger(label: "test") { _ in CollectingLogHandler(collector: self.logs) },
            wallClock: wallClock,
            monotonicClock: { self.clock.now }
        )
    }

    private func respond(to request: Request) async throws -> Response {
        let call = try await self.call(from: request)
        self.received.withLock { $0.append(call) }
        let answer = try self.answering(call)
        try await Task.sleep(for: answer.delay)
        return Response(
            status: .init(code: answer.status),
            headers: answer.headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: answer.body))
        )
    }

    private func call(from request: Request) async throws -> Call {
        let target = request.uri.string
        let side = [StoreEnvironment.production, .sandbox].first { target.hasPrefix("/\($0.rawValue)/") }
        return Call(
            side: side,
            method: request.method.rawValue,
            path: side.map { String(target.dropFirst($0.rawValue.count + 1)) } ?? target,
            authorization: request.headers[.authorization],
            contentType: request.headers[.contentType],
            body: Data(buffer: try await request.body.collect(upTo: 1_000_000))
        )
    }
}

/// Returns the error that the operation throws, or nil.
func refusal(_ operation: () async throws(StoreError) -> Void) async -> StoreError? {
    do throws(StoreError) {
        try await operation()
        return nil
    } catch {
        return error
    }
}
