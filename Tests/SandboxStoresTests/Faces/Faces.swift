import Crypto
import CryptoExtras
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import SandboxStores
import Testing

let premium = "premium:monthly"
let gold = "gold:monthly"

/// Sandbox stores with RevenueCat and Google Play, and an app server that receives their notifications.
struct Faces: Sendable {
    static let apiKey = "sk_test_key"
    static let authorization = "Webhook value"
    static let signingSecret = "whsec_test"
    static let package = "com.example.app"
    static let account = "wallet@example.iam.gserviceaccount.com"
    static let pushEmail = "push@example.iam.gserviceaccount.com"
    static let audience = "https://wallet.example.com/webhooks/google-play"
    static let accountKey = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    let stores: Stores
    let receiver: StoreReceiver

    static func run(directory: String? = nil, _ body: @escaping @Sendable (Faces) async throws -> Void) async throws {
        let receiver = StoreReceiver()
        try await receiver.application().test(.live) { client in
            let configuration = try self.configuration(directory: directory, port: try #require(client.port))
            try await Stores.run(configuration) { stores in
                try await body(Faces(stores: stores, receiver: receiver))
            }
        }
    }

    static func configuration(directory: String?, port: Int) throws -> SandboxStoresConfiguration {
        var configuration = Stores.configuration(directory: directory)
        for id in [premium, gold] {
            configuration.products.append(.init(storeProductID: id, kind: .subscription, periodSeconds: 3_600))
        }
        configuration.revenueCat = .init(
            apiKey: Self.apiKey,
            authorization: Self.authorization,
            signingSecret: Self.signingSecret
        )
        configuration.googlePlay = .init(
            packageName: Self.package,
            serviceAccountEmail: Self.account,
            serviceAccountPublicKey: try Self.accountKey.get().publicKey.pemRepresentation,
            pushAudience: Self.audience,
            pushEmail: Self.pushEmail
        )
        configuration.notifications = NotificationReceivers(
            revenueCatURL: "http://127.0.0.1:\(port)/revenuecat",
            googlePlayURL: "http://127.0.0.1:\(port)/google-play"
        )
        return configuration
    }

    /// Buys a product at Google Play.
    func buy(_ product: String, _ members: [String: any Sendable] = [:]) async throws -> Stores.Answer {
        try await self.stores.buy(product, ["store": "play_store"].merging(members) { $1 })
    }

    /// Calls a control, which must succeed.
    @discardableResult
    func control(_ path: String, _ members: [String: any Sendable] = [:]) async throws -> Stores.Answer {
        let answer = try await self.stores.post("/sandbox/\(path)", members)
        try #require(answer.status == 200, "\(path): \(answer.json)")
        return answer
    }

    /// Moves the clock; subscriptions renew only if `renewing` is true.
    func advance(_ seconds: Int, renewing: Bool = false) async throws {
        try await self.control("clock", ["advance_seconds": seconds, "renew": renewing])
    }

    /// Calls one of the stores' servers.
    func call(
        _ method: HTTPRequest.Method,
        _ path: String,
        authorization: String? = nil,
        body: String = ""
    ) async throws -> Stores.Answer {
        var headers = HTTPFields()
        headers[.authorization] = authorization
        let buffer = ByteBuffer(string: body)
        return try await self.stores.client.execute(uri: path, method: method, headers: headers, body: buffer) {
            let data = Data($0.body.readableBytesView)
            let json = data.isEmpty ? [:] : try JSONSerialization.jsonObject(with: data) as? [String: Any]
            return Stores.Answer(status: $0.status.code, json: try #require(json))
        }
    }

    /// Returns RevenueCat's webhook events since the last call.
    func events() throws -> [Stores.Answer] {
        try self.receiver.take("revenuecat").map { delivery in
            let body = try Stores.Answer(parsing: delivery.body)
            #expect(body.text("api_version") == "1.0")
            return try #require(body.object("event"))
        }
    }

    /// Returns Google Play's notifications since the last call.
    func notifications() throws -> [Stores.Answer] {
        try self.receiver.take("google-play").map { delivery in
            let message = try #require(try Stores.Answer(parsing: delivery.body).object("message"))
            return try Stores.Answer(parsing: #require(Data(base64Encoded: message.text("data") ?? "")))
        }
    }
}

extension Stores.Answer {
    init(parsing data: Data) throws {
        self.init(status: 200, json: try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any]))
    }

    func decimal(_ key: String) -> Double? { (self.json[key] as? NSNumber)?.doubleValue }
    func flag(_ key: String) -> Bool? { self.json[key] as? Bool }
    func texts(_ key: String) -> [String]? { self.json[key] as? [String] }
    func isNull(_ key: String) -> Bool { self.json[key] is NSNull }
}

extension Data {
    init?(base64URL text: some StringProtocol) {
        let standard = String(text).replacing("-", with: "+").replacing("_", with: "/")
        self.init(base64Encoded: standard + String(repeating: "=", count: (4 - standard.count % 4) % 4))
    }

    var base64URL: String {
        self.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
