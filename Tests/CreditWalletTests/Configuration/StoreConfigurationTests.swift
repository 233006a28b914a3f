import AsyncHTTPClient
import CommandOutput
import Foundation
import Logging
import Stores
import Testing
import Wallet

@testable import CreditWallet
@testable import WalletAPI
@testable import WalletDev

@Suite struct StoreConfigurationTests {
    private static let required = [
        "app_store": ["APPSTORE_BUNDLE_IDS", "APPSTORE_SHARED_SECRET", "APPSTORE_GRANTS_FROM"],
        "play_store": [
            "GOOGLEPLAY_PACKAGE_NAME", "GOOGLEPLAY_SERVICE_ACCOUNT", "GOOGLEPLAY_GRANTS_FROM",
            "GOOGLEPLAY_PUSH_AUDIENCE", "GOOGLEPLAY_PUSH_EMAIL",
        ],
        "revenuecat": ["REVENUECAT_GRANTS_FROM"],
    ]
    private let all: StoreSettings

    init() throws {
        self.all = try StoreSettings()
    }

    @Test func `every store can be enabled at once`() async throws {
        let stores = try StoresConfiguration(reader: try await self.all.read())

        #expect(stores.receipts != nil && stores.signedData != nil && stores.serverAPI != nil && stores.offers != nil)
        #expect(stores.revenueCatWebhook?.authorizations == [StoreSettings.webhookSecret])
        #expect(stores.revenueCat != nil && stores.googlePlay != nil && stores.pushes != nil)
        // Each store's own start date overrides RevenueCat's.
        let days = stores.grantsFrom.mapValues { $0.formatted(.iso8601.year().month().day()) }
        #expect(days == ["app_store": "2026-01-01", "play_store": "2026-03-01"])
    }

    @Test(arguments: ["app_store", "play_store", "revenuecat"])
    func `a store's keys are required only while the store is enabled`(store: String) async throws {
        let others = Self.required.keys.filter { $0 != store }.sorted()
        for key in try #require(Self.required[store]) {
            let enabled = try await self.all.refusal([key: nil])
            let disabled = try await self.all.refusal([key: nil, "STORES": others.joined(separator: ",")])

            #expect(enabled?.code == .configuration)
            #expect(enabled?.message.hasPrefix("\(key) is missing") == true)
            #expect(disabled == nil, "\(key) is asked for")
        }
    }

    @Test func `sandbox purchases are for everybody, testers or nobody`() async throws {
        #expect(try SandboxPurchases(reader: try await self.all.read()) == .accept)
        for value in SandboxPurchases.allCases {
            let settings = try await self.all.read(["SANDBOX_PURCHASES": value.rawValue])
            #expect(try SandboxPurchases(reader: settings) == value)
        }
        let refusal = try await self.all.refusal(["SANDBOX_PURCHASES": "yes"])
        #expect(refusal?.message == "SANDBOX_PURCHASES must be accept, testers or refuse.")
    }

    /// The first start stores this instant permanently, so `serve` must refuse an invalid one.
    @Test(
        arguments: ["APPSTORE_GRANTS_FROM", "GOOGLEPLAY_GRANTS_FROM", "REVENUECAT_GRANTS_FROM"],
        ["2026-02-30", "2026-02-30T00:00:00Z", "2027-02-29T00:00:00Z", "2026-02-01T24:00:00Z", "2026-02-01T10:00:60Z"]
    )
    func `an instant that does not exist is refused`(key: String, instant: String) async throws {
        let refusal = try await self.all.refusal([key: instant])

        #expect(refusal?.code == .configuration)
        #expect(refusal?.message.hasPrefix("\(key) must be a valid instant") == true)
    }

    @Test(arguments: ["", "appstore", "app_store,stripe"])
    func `an unknown store is refused`(stores: String) async throws {
        let refusal = try await self.all.refusal(["STORES": stores.isEmpty ? "," : stores])

        #expect(refusal?.message.contains("STORES") == true)
    }

    @Test(arguments: [
        ("APPSTORE_API_ISSUER_ID", "APPSTORE_API_KEY_ID"), ("APPSTORE_API_ISSUER_ID", "APPSTORE_API_PRIVATE_KEY"),
        ("APPSTORE_OFFER_KEY_ID", "APPSTORE_OFFER_PRIVATE_KEY"),
    ])
    func `an optional part is complete or absent`(part: String, key: String) async throws {
        let half = try await self.all.refusal([key: nil])
        let none = try await self.all.refusal([key: nil, part: nil])

        #expect(half?.message.hasPrefix("\(key) is missing") == true)
        #expect(none == nil)
    }

    @Test func `RevenueCat needs at least one proof`() async throws {
        let none = try await self.all.refusal(["REVENUECAT_AUTHORIZATION": nil])
        let signature = try await self.all.refusal([
            "REVENUECAT_AUTHORIZATION": nil, "REVENUECAT_SIGNING_SECRET": "one,two",
        ])

        #expect(none?.message.contains("REVENUECAT_AUTHORIZATION or REVENUECAT_SIGNING_SECRET") == true)
        #expect(signature == nil)
    }

    @Test(arguments: [
        ("APPSTORE_RECEIPT_PRODUCTION_URL", "APPSTORE"), ("APPSTORE_RECEIPT_SANDBOX_URL", "APPSTORE"),
        ("APPSTORE_API_PRODUCTION_URL", "APPSTORE"), ("APPSTORE_API_SANDBOX_URL", "APPSTORE"),
        ("REVENUECAT_URL", "REVENUECAT"), ("GOOGLEPLAY_URL", "GOOGLEPLAY"), ("GOOGLEPLAY_TOKEN_URL", "GOOGLEPLAY"),
        ("GOOGLEPLAY_KEYS_URL", "GOOGLEPLAY"),
    ])
    func `a host other than the vendor's needs the store's own flag`(key: String, store: String) async throws {
        let elsewhere = "http://127.0.0.1:9/there"
        let flags = ["APPSTORE", "REVENUECAT", "GOOGLEPLAY"].map { "\($0)_ALLOW_OTHER_HOSTS" }
        let flag = "\(store)_ALLOW_OTHER_HOSTS"
        var others: [String: String?] = [key: elsewhere]
        for other in flags where other != flag { others[other] = "true" }

        let refused = try await self.all.refusal(others)
        let allowed = try await self.all.refusal([key: elsewhere, flag: "true"])

        #expect(refused?.message.contains(key) == true)
        #expect(refused?.message.contains("\(flag)=true") == true)
        #expect(allowed == nil)
    }

    @Test func `a service account cannot bring a host of its own`() async throws {
        let file = """
            {"client_email": "a@b", "private_key": \(try Self.json(self.all.secrets.googlePlayKey)),
            "token_uri": "https://elsewhere.example/token"}
            """
        let settings = try await self.all.read(["GOOGLEPLAY_SERVICE_ACCOUNT": file])

        #expect(
            try StoresConfiguration(reader: settings).googlePlay?.tokenURL == GooglePlayConfiguration.vendorTokenURL
        )
    }

    @Test func `extra roots must exist and be certificates`() async throws {
        let text = try self.all.write("no certificate", to: "root.cer")
        let missing = try await self.all.refusal(["APPSTORE_EXTRA_ROOTS": "/nowhere/root.cer"])
        let unreadable = try await self.all.refusal(["APPSTORE_EXTRA_ROOTS": text])

        #expect(missing?.message.contains("/nowhere/root.cer (APPSTORE_EXTRA_ROOTS) does not exist") == true)
        #expect(unreadable?.message.contains("\(text) (APPSTORE_EXTRA_ROOTS) is not a DER certificate") == true)
    }

    @Test(arguments: ["APPSTORE_API_PRIVATE_KEY", "APPSTORE_OFFER_PRIVATE_KEY", "GOOGLEPLAY_SERVICE_ACCOUNT"])
    func `an invalid key is named and not shown`(key: String) async throws {
        let secret = "very-secret-text"
        for value in [secret, try self.all.serviceAccount(key: secret), #"{"client_email": "very-secret-text"}"#] {
            let error = await #expect(throws: CommandError.self) {
                let stores = try StoresConfiguration(reader: try await self.all.read([key: value]))
                _ = try StoreClients(stores, httpClient: .shared, logger: Logger(label: "t"), clock: { Date() })
            }

            #expect(error?.code == .configuration)
            #expect(error?.message.contains(key) == true)
            #expect(error?.message.contains(secret) == false)
        }
    }

    private static func json(_ text: String) throws -> String {
        String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
    }
}
