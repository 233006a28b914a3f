import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import SandboxStores
import Synchronization
import Testing

let starter = "com.example.credits.starter"
let monthly = "com.example.plan.monthly"
let yearly = "com.example.plan.yearly"
let season = "com.example.season"

/// A client that controls sandbox stores as a developer or a test does.
struct Stores: Sendable {
    let client: any TestClientProtocol
    /// The root certificate of the App Store's signatures.
    let root: Data

    /// A response of a control or of the verification endpoint.
    struct Answer {
        let status: Int
        let json: [String: Any]

        func text(_ key: String) -> String? { self.json[key] as? String }
        func number(_ key: String) -> Int? { self.json[key] as? Int }
        func object(_ key: String) -> Answer? {
            (self.json[key] as? [String: Any]).map { Answer(status: self.status, json: $0) }
        }
        func list(_ key: String) -> [Answer] {
            (self.json[key] as? [[String: Any]] ?? []).map { Answer(status: self.status, json: $0) }
        }
    }

    static func configuration(
        directory: String? = nil,
        sharedSecret: String? = nil,
        onClockAdvance: @escaping @Sendable (Int) async throws -> Void = { _ in }
    ) -> SandboxStoresConfiguration {
        SandboxStoresConfiguration(
            port: 0,
            directory: directory,
            products: [
                SandboxProduct(storeProductID: starter, alias: "starter", kind: .consumable),
                SandboxProduct(storeProductID: monthly, kind: .subscription, periodSeconds: 3_600),
                SandboxProduct(storeProductID: yearly, kind: .subscription, periodSeconds: 43_200),
                SandboxProduct(storeProductID: season, kind: .nonRenewing),
            ],
            bundleID: "com.example.app",
            sharedSecret: sharedSecret,
            onClockAdvance: onClockAdvance
        )
    }

    static func run(
        _ configuration: SandboxStoresConfiguration = Self.configuration(),
        _ body: @escaping @Sendable (Stores) async throws -> Void
    ) async throws {
        let stores = try SandboxStores(configuration: configuration, logger: .silent)
        try await stores.buildApplication().test(.router) { client in
            try await body(Stores(client: client, root: stores.rootCertificate))
        }
    }

    func post(_ path: String, _ members: [String: any Sendable] = [:]) async throws -> Answer {
        try await self.send(
            .post,
            path,
            String(decoding: JSONSerialization.data(withJSONObject: members), as: UTF8.self)
        )
    }

    func post(_ path: String, text: String) async throws -> Answer {
        try await self.send(.post, path, text)
    }

    func get(_ path: String) async throws -> Answer {
        try await self.send(.get, path)
    }

    /// Returns a page as a browser receives it.
    func page(_ path: String) async throws -> String {
        try await self.client.execute(uri: path, method: .get) { response in
            #expect(response.status == .ok && response.headers[.contentType]?.hasPrefix("text/html") == true)
            return String(buffer: response.body)
        }
    }

    /// Calls the App Store Server API.
    func call(
        _ path: String,
        token: String?,
        method: HTTPRequest.Method = .get,
        _ members: [String: any Sendable]? = nil
    ) async throws -> Answer {
        let body = try members.map {
            String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self)
        }
        return try await self.send(method, path, body ?? "", authorization: token.map { "Bearer \($0)" })
    }

    /// Applies one step to a subscription or transaction.
    @discardableResult
    func step(_ path: String, _ members: [String: any Sendable]? = nil) async throws -> Answer {
        let answer = try await self.post("/sandbox/\(path)", members ?? [:])
        try #require(answer.status == 200, "\(path) is refused")
        return answer
    }

    func delete(_ path: String) async throws -> Answer {
        try await self.send(.delete, path)
    }

    private func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String = "",
        authorization: String? = nil
    ) async throws -> Answer {
        var headers = HTTPFields()
        headers[.authorization] = authorization
        if !body.isEmpty { headers[.contentType] = "application/json" }
        return try await self.client.execute(
            uri: path,
            method: method,
            headers: headers,
            body: ByteBuffer(string: body)
        ) { response in
            let data = Data(response.body.readableBytesView)
            let type = response.headers[.contentType] ?? ""
            guard type.hasPrefix("application/json") || type == "application/problem+json" else {
                return Answer(status: response.status.code, json: [:])
            }
            let json = data.isEmpty ? [:] : try JSONSerialization.jsonObject(with: data) as? [String: Any]
            return Answer(status: response.status.code, json: try #require(json))
        }
    }

    func buy(_ product: String = starter, _ members: [String: any Sendable] = [:]) async throws -> Answer {
        let answer = try await self.post(
            "/sandbox/purchases",
            ["user_id": "ann", "product_id": product].merging(members) { $1 }
        )
        try #require(answer.status == 200)
        return answer
    }

    /// Verifies a receipt at the production endpoint.
    func verify(_ receipt: String?, at path: String = "/verifyReceipt", password: String? = nil) async throws -> Answer
    {
        var members: [String: any Sendable] = ["receipt-data": try #require(receipt)]
        members["password"] = password
        return try await self.post(path, members)
    }

    /// Returns the transaction ids in the receipt's `in_app`.
    func shown(_ receipt: String?) async throws -> [String?] {
        try await self.verify(receipt).object("receipt")?.list("in_app").map { $0.text("transaction_id") } ?? []
    }
}

extension Logger {
    static var silent: Logger { Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() } }
}
