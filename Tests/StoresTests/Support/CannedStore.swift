import AsyncHTTPClient
import Foundation
import Hummingbird
import HummingbirdTesting
import Stores
import Testing

/// A verification endpoint that gives one and the same answer to everything.
enum CannedStore {
    /// Runs the body with a verifier that asks an endpoint with a canned answer.
    static func run(
        answering answer: String,
        as type: String = "application/json",
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:],
        change: @escaping @Sendable (inout AppStoreReceiptConfiguration) -> Void = { _ in },
        check: @escaping @Sendable (AppStoreReceiptVerifier) async throws -> Void
    ) async throws {
        let router = Router()
        router.post("verify") { _, _ in
            var headers = headers
            headers[.contentType] = type
            return Response(
                status: status,
                headers: headers,
                body: ResponseBody(byteBuffer: ByteBuffer(string: answer))
            )
        }
        // Where a followed redirect would lead: an answer that grants.
        router.on("elsewhere", method: .post) { _, _ in Self.granting }
        router.on("elsewhere", method: .get) { _, _ in Self.granting }
        try await Application(router: router, logger: .silent).test(.live) { client in
            // A server that stops before it has taken the test client's own connection takes the process with it.
            _ = try await client.execute(uri: "/ready", method: .get)
            let port = try #require(client.port)
            let httpClient = HTTPClient(eventLoopGroupProvider: .singleton)
            var configuration = AppStoreReceiptConfiguration(
                bundleIDs: [appBundle],
                productionURL: "http://localhost:\(port)/verify",
                sandboxURL: "http://localhost:\(port)/verify"
            )
            configuration.limits.retryDelay = .milliseconds(5)
            change(&configuration)
            let verifier = AppStoreReceiptVerifier(
                configuration: configuration,
                httpClient: httpClient,
                logger: .silent,
                wallClock: { Date(timeIntervalSince1970: 1_800_000_000) }
            )
            do {
                try await check(verifier)
            } catch {
                try await httpClient.shutdown()
                throw error
            }
            try await httpClient.shutdown()
        }
    }

    /// Runs the body with what the verifier makes of an answer.
    static func read(
        _ answer: String,
        _ body: @escaping @Sendable (Result<VerifiedReceipt, StoreError>) throws -> Void
    ) async throws {
        try await self.run(
            answering: answer,
            check: { verifier in try body(await verifier.outcome(of: someReceipt)) }
        )
    }

    private static var granting: Response {
        Response(
            status: .ok,
            body: ResponseBody(
                byteBuffer: ByteBuffer(string: #"{"status":0,"receipt":{"bundle_id":"com.example.app","in_app":[]}}"#)
            )
        )
    }
}

/// Base64 that no store ever gave out.
let someReceipt = Data("some receipt".utf8).base64EncodedString()

extension AppStoreReceiptVerifier {
    func outcome(of receipt: String) async -> Result<VerifiedReceipt, StoreError> {
        do throws(StoreError) {
            return .success(try await self.verify(receipt: receipt))
        } catch {
            return .failure(error)
        }
    }

    /// The error that verifying throws, nil when it throws none.
    func refusal(of receipt: String) async -> StoreError? {
        switch await self.outcome(of: receipt) {
        case .success: nil
        case .failure(let error): error
        }
    }
}
