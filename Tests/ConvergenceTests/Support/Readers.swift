import AsyncHTTPClient
import Crypto
import CryptoExtras
import Foundation
import Logging
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import SandboxStores
import Stores
import Testing

/// The wallet's own readers of store messages, connected to sandbox stores.
struct Readers: Sendable {
    /// A notification in the sandbox stores' list.
    struct Notification: Decodable, Sendable {
        let source: String
        let body: String
    }

    private struct NotificationList: Decodable {
        let notifications: [Notification]
    }

    private struct Push: Decodable {
        let signedPayload: String
    }

    struct ControlFailed: Error {
        let path: String
        let status: UInt
    }

    private static let account = "wallet@example.iam.gserviceaccount.com"
    private static let accountKey = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }
    private static let serverKey = P256.Signing.PrivateKey()
    private static let serverAccess = ServerAPIAccess(
        issuerID: "issuer",
        keyID: "key",
        publicKeyPEM: Self.serverKey.publicKey.pemRepresentation
    )

    let url: String
    let clock: StoreClock
    let client: HTTPClient
    let revenueCat: RevenueCatWebhook
    private let signedData: SignedDataVerifier
    private let receipts: AppStoreReceiptVerifier
    private let play: GooglePlayAPI
    private let serverAPI: AppStoreServerAPI
    private let customers: RevenueCatAPI

    init(url: String, root: Data, client: HTTPClient, clock: StoreClock) throws {
        self.url = url
        self.clock = clock
        self.client = client
        let now: @Sendable () -> Date = { clock.now }
        let instant: @Sendable () -> ContinuousClock.Instant = { clock.instant }
        self.revenueCat = RevenueCatWebhook(configuration: .init(authorizations: ["value"]), now: now)
        var signed = SignedDataConfiguration(bundleIDs: [Shop.bundleID])
        signed.roots = [Array(root)]
        self.signedData = SignedDataVerifier(
            configuration: signed,
            httpClient: client,
            logger: .silent,
            wallClock: now,
            monotonicClock: instant
        )
        self.receipts = AppStoreReceiptVerifier(
            configuration: AppStoreReceiptConfiguration(
                bundleIDs: [Shop.bundleID],
                productionURL: "\(url)/verifyReceipt",
                sandboxURL: "\(url)/sandbox/verifyReceipt"
            ),
            httpClient: client,
            logger: .silent,
            wallClock: now,
            monotonicClock: instant
        )
        self.play = GooglePlayAPI(
            configuration: GooglePlayConfiguration(
                packageName: Shop.bundleID,
                serviceAccountEmail: Self.account,
                privateKeyPEM: try Self.accountKey.get().pkcs8PEMRepresentation,
                tokenURL: "\(url)/token",
                baseURL: url
            ),
            httpClient: client,
            logger: .silent,
            wallClock: now,
            monotonicClock: instant
        )
        self.serverAPI = try AppStoreServerAPI(
            configuration: AppStoreServerAPIConfiguration(
                issuerID: Self.serverAccess.issuerID,
                keyID: Self.serverAccess.keyID,
                privateKeyPEM: Self.serverKey.pemRepresentation,
                bundleID: Shop.bundleID,
                productionURL: url,
                sandboxURL: "\(url)/sandbox-api"
            ),
            verifier: self.signedData,
            httpClient: client,
            logger: .silent,
            wallClock: now,
            monotonicClock: instant
        )
        self.customers = RevenueCatAPI(
            configuration: RevenueCatAPIConfiguration(secretKey: "key", baseURL: url),
            httpClient: client,
            logger: .silent,
            wallClock: now,
            monotonicClock: instant
        )
    }

    static func configuration(_ clock: StoreClock) throws -> SandboxStoresConfiguration {
        let nowhere = "http://127.0.0.1:9"
        var configuration = SandboxStoresConfiguration(
            port: 0,
            directory: nil,
            products: Product.allCases.map {
                SandboxProduct(storeProductID: $0.id, kind: $0.kind, periodSeconds: $0.periodSeconds)
            },
            bundleID: Shop.bundleID,
            notifications: NotificationReceivers(
                appStoreURL: nowhere,
                revenueCatURL: nowhere,
                googlePlayURL: nowhere
            ),
            onClockAdvance: { clock.move(to: $0) }
        )
        configuration.serverAPI = Self.serverAccess
        configuration.revenueCat = .init(apiKey: "key")
        configuration.googlePlay = .init(
            packageName: Shop.bundleID,
            serviceAccountEmail: Self.account,
            serviceAccountPublicKey: try Self.accountKey.get().publicKey.pemRepresentation,
            pushAudience: "audience",
            pushEmail: "push@example.com"
        )
        return configuration
    }

    /// Reads a notification as its webhook does.
    ///
    /// For Google Play, it also requests the details that the notification omits.
    func read(_ notification: Notification) async throws -> StoreEvent {
        let body = Data(notification.body.utf8)
        switch notification.source {
        case "app_store":
            let push = try JSONDecoder().decode(Push.self, from: body)
            return try await self.signedData.notification(push.signedPayload)
        case "revenuecat": return try self.revenueCat.event(from: body)
        default:
            return try await self.play.answer(GooglePlayNotifications(packageName: Shop.bundleID).event(from: body))
        }
    }

    /// Returns the store's facts about a purchase that the app submits.
    ///
    /// For the App Store, it reads the signed transaction and the receipt.
    func facts(of sale: Shop.Sale) async throws -> [StoreFact] {
        if let token = sale.purchaseToken {
            let isPlan = Product(id: sale.productId)?.kind == .subscription
            return isPlan
                ? try await self.play.subscription(token: token)
                : try await self.play.purchase(productID: sale.productId, token: token)
        }
        var facts: [StoreFact] = []
        if let signed = sale.signedTransaction {
            facts.append(try await self.signedData.transaction(signed).fact(source: .signedTransaction))
        }
        if let receipt = sale.receipt { facts += try await self.receipts.verify(receipt: receipt).facts }
        return facts
    }

    /// Returns the answers of RevenueCat and the store about a purchase, as a reconciliation requests them.
    func statements(about sale: Shop.Sale, of user: User) async throws -> [StoreEvent.AttributedFact] {
        let customer = try await self.customers.statements(ofUser: user.id)
        let facts: [StoreFact]
        if sale.purchaseToken == nil {
            let id = sale.originalTransactionId
            facts = try await self.serverAPI.history(of: id) + self.serverAPI.subscriptions(of: id)
        } else {
            facts = try await self.facts(of: sale)
        }
        return customer + facts.map { StoreEvent.AttributedFact(fact: $0) }
    }

    /// Acknowledges a purchase to Google Play as the wallet does; the App Store needs no acknowledgement.
    func acknowledge(_ sale: Shop.Sale) async throws {
        guard let token = sale.purchaseToken else { return }
        if Product(id: sale.productId)?.kind == .subscription {
            try await self.play.acknowledgeSubscription(productID: sale.productId, token: token)
        } else {
            try await self.play.consume(productID: sale.productId, token: token)
        }
    }

    func notifications() async throws -> [Notification] {
        let response = try await self.client.execute(
            HTTPClientRequest(url: "\(self.url)/sandbox/notifications"),
            timeout: .seconds(30)
        )
        let body = Data(buffer: try await response.body.collect(upTo: 10_000_000))
        return try JSONDecoder().decode(NotificationList.self, from: body).notifications
    }

    func post<Answer: Decodable>(
        _ path: String,
        _ members: [String: any Sendable],
        as type: Answer.Type
    ) async throws -> Answer {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Answer.self, from: try await self.post(path, members))
    }

    @discardableResult
    func post(_ path: String, _ members: [String: any Sendable]) async throws -> Data {
        var request = HTTPClientRequest(url: "\(self.url)/sandbox/\(path)")
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(ByteBuffer(data: try JSONSerialization.data(withJSONObject: members)))
        let response = try await self.client.execute(request, timeout: .seconds(30))
        let body = Data(buffer: try await response.body.collect(upTo: 10_000_000))
        guard response.status == .ok else { throw ControlFailed(path: path, status: response.status.code) }
        return body
    }
}

extension Logger {
    static var silent: Logger { Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() } }
}
