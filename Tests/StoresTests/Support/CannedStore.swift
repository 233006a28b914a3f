import AsyncHTTPClient
import Foundation
import Hummingbird
import HummingbirdTesting
import Stores
import Testing

/// A verification endpoint that returns the same response to every request.
enum CannedStore {
    /// Runs the body with a verifier of an endpoint with a fixed response.
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
        // The target of the redirect, which grants a purchase if the client follows it.
        router.on("elsewhere", method: .post) { _, _ in Self.granting }
        router.on("elsewhere", method: .get) { _, _ in Self.granting }
        try await Application(router: router, logger: .silent).test(.live) { client in
            // Connects the test client first: a server that stops before it accepts this connection crashes the
            // process.
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

    /// Runs the body with the verifier's result for a response.
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

/// Valid base64 that is not a receipt of any store.
let someReceipt = Data("some receipt".utf8).base64EncodedString()

extension AppStoreReceiptVerifier {
    func outcome(of receipt: String) async -> Result<VerifiedReceipt, StoreError> {
        do throws(StoreError) {
            return .success(try await self.verify(receipt: receipt))
        } catch {
            return .failure(error)
        }
    }

    /// Returns the error that the verification throws, or nil.
    func refusal(of receipt: String) async -> StoreError? {
        switch await self.outcome(of: receipt) {
        case .success: nil
        case .failure(let error): error
        }
    }
}
