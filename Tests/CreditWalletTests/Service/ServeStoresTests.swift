import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Postgres
import SandboxStores
import TestSupport
import Testing
import Wallet

@testable import CreditWallet
@testable import WalletDev

@Suite struct ServeStoresTests {
    /// A running `serve`.
    private struct Served {
        let url: String
        let program: RunningExecutable

        func send(_ method: HTTPMethod, _ path: String, token: String? = nil, _ body: String? = nil) async throws
            -> (status: UInt, json: [String: Any])
        {
            var request = HTTPClientRequest(url: self.url + path)
            request.method = method
            if let token { request.headers.add(name: "authorization", value: "Bearer \(token)") }
            if let body {
                request.headers.add(name: "content-type", value: "application/json")
                request.body = .bytes(ByteBuffer(string: body))
            }
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
            let data = Data(buffer: try await response.body.collect(upTo: 1_048_576))
            let json = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
            return (response.status.code, json ?? [:])
        }
    }

    private func serve(
        _ changes: [String: String],
        _ body: (Served) async throws -> Void
    ) async throws {
        let database = try TestDatabase.current
        let migrated = try await Executable.run(["migrate"], environment: ["DATABASE_URL": database.url])
        try #require(migrated.status == 0, "\(migrated.errors)")
        let connection = try await database.connect()
        for file in Wallet.sqlFiles where file.path == "seed/catalog.sql" {
            try await connection.execute(script: file.contents)
        }
        connection.close()
        let port = try FreePort.find()
        let environment = try StoreSettings().environment.merging(changes) { $1 }.merging([
            "DATABASE_URL": try database.serviceURL, "HTTP_PORT": "\(port)", "LOG_LEVEL": "warning",
        ]) { $1 }
        let served = Served(
            url: "http://127.0.0.1:\(port)",
            program: try RunningExecutable(["serve"], environment: environment)
        )
        try await served.program.wait(until: "serve is ready") {
            (try? await served.send(.GET, "/ready"))?.status == 200
        }
        try await body(served)
        #expect(try await served.program.stop() == 0)
    }

    private static let webhooks = ["/webhooks/app-store", "/webhooks/google-play", "/webhooks/revenuecat"]

    @Test(.emptyDatabase) func `with every store enabled, every webhook requires its proof`() async throws {
        try await self.serve([:]) { served in
            var statuses: [UInt] = []
            for path in Self.webhooks {
                statuses.append(try await served.send(.POST, path, #"{"signedPayload": "a.b.c"}"#).status)
            }
            #expect(statuses == [401, 401, 401])
        }
    }

    @Test(.emptyDatabase, arguments: [("testers", "testers"), (nil, "accept")] as [(String?, String)])
    func `a start sets who gets credits for sandbox purchases`(setting: String?, stored: String) async throws {
        try await self.serve(setting.map { ["SANDBOX_PURCHASES": $0] } ?? [:]) { _ in
            let connection = try await TestDatabase.current.connect()
            let rows = try await connection.query("SELECT sandbox_purchases AS stored FROM wallet.instance")
            #expect(try rows.map { try $0.decode("stored", as: String.self) } == [stored])
            connection.close()
        }
    }

    @Test(.emptyDatabase) func `the webhook of a store that is not enabled is closed`() async throws {
        try await self.serve(["STORES": "revenuecat"]) { served in
            var answers: [String] = []
            for path in Self.webhooks {
                let answer = try await served.send(.POST, path, #"{"signedPayload": "a.b.c"}"#)
                answers.append("\(answer.status) \((answer.json["type"] as? String)?.split(separator: "/").last ?? "")")
            }
            #expect(answers[0].hasPrefix("503 ") && answers[0].contains("webhook-not-configured"))
            #expect(answers[1].hasPrefix("503 "))
            #expect(answers[2].hasPrefix("401 "))
        }
    }

    @Test(.emptyDatabase) func `transactions signed under an extra root credit the sandbox wallet only`() async throws {
        let stores = try SandboxStores(
            configuration: SandboxStoresConfiguration(
                port: 0,
                directory: nil,
                products: [SandboxProduct(storeProductID: StoreBench.starter, kind: .consumable)],
                bundleID: "com.example.app"
            ),
            logger: .silent
        )
        let running = Task { try await stores.run() }
        defer { running.cancel() }
        let sale = try await Self.buy(at: "http://127.0.0.1:\(try await stores.boundPort())")
        let settings = try StoreSettings()
        let root = try settings.write(stores.rootCertificate, to: "root.cer")
        let token = try TokenSigner(
            issuer: "https://issuer.example",
            audience: "authenticated",
            secret: Array(ServeConfiguration.secret.utf8)
        ).token(for: "ann", role: "authenticated", lifetime: 600)

        try await self.serve(["STORES": "app_store", "APPSTORE_EXTRA_ROOTS": root]) { served in
            let body = #"{"store": "app_store", "signed_transaction": "\#(sale)"}"#
            let receipt = try await served.send(.POST, "/receipts", token: token, body)
            #expect(receipt.status == 200)
            #expect(receipt.json["environment"] as? String == "sandbox")
            let production = try await served.send(.GET, "/balance", token: token)
            #expect(production.json["credits"] as? Int == 0)
            let connection = try await TestDatabase.current.connect()
            defer { connection.close() }
            let lots = try await connection.query(
                "SELECT string_agg(concat(l.environment, ' ', l.remaining), ',') AS text FROM wallet.lots AS l"
            )
            #expect(try lots.first?.decode("text", as: String.self) == "sandbox 25")
        }
        // Without the extra root, the signature is rejected.
        try await Self.expectRefusal(of: sale, token: token, by: self)
    }

    private static func expectRefusal(of sale: String, token: String, by suite: ServeStoresTests) async throws {
        try await suite.serve(["STORES": "app_store"]) { served in
            let body = #"{"store": "app_store", "signed_transaction": "\#(sale)"}"#
            let refused = try await served.send(.POST, "/receipts", token: token, body)
            #expect((400..<500).contains(refused.status))
        }
    }

    /// Makes a sandbox purchase that claims to be from production.
    private static func buy(at url: String) async throws -> String {
        var request = HTTPClientRequest(url: "\(url)/sandbox/purchases")
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(
            ByteBuffer(
                string: #"{"user_id": "ann", "product_id": "\#(StoreBench.starter)", "environment": "production"}"#
            )
        )
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
        let answer = Data(buffer: try await response.body.collect(upTo: 1_048_576))
        let sale = try JSONDecoder().decode(StoreBench.Sale.self, from: answer)
        return try #require(sale.signedTransaction)
    }
}
