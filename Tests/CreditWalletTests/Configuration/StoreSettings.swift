import CommandOutput
import Foundation

@testable import CreditWallet
@testable import WalletDev

/// The configuration of every store, and the `Settings` read from it.
struct StoreSettings {
    static let webhookSecret = "Bearer a-webhook-secret"
    static let eventsSecret = "whsec_" + Data(repeating: 7, count: 24).base64EncodedString()

    /// Keys of every kind, generated once for all tests.
    private static let keys = Result<DevSecrets, any Error> {
        let home = try TemporaryDirectory()
        let directory = DataDirectory(home.path)
        try directory.create()
        return try DevSecrets.loadOrCreate(in: directory)
    }

    private let home: TemporaryDirectory
    let secrets: DevSecrets

    init() throws {
        self.home = try TemporaryDirectory()
        self.secrets = try Self.keys.get()
    }

    /// The required settings of each store, and all optional ones.
    var environment: [String: String] {
        get throws {
            ServeConfiguration.environment().merging([
                "STORES": "app_store,play_store,revenuecat",
                "APPSTORE_API_ISSUER_ID": "issuer", "APPSTORE_API_KEY_ID": "KEY1",
                "APPSTORE_API_PRIVATE_KEY": self.secrets.appStoreKey,
                "APPSTORE_OFFER_KEY_ID": "KEY2", "APPSTORE_OFFER_PRIVATE_KEY": self.secrets.appStoreKey,
                "REVENUECAT_AUTHORIZATION": Self.webhookSecret, "REVENUECAT_API_KEY": "sk_something",
                "REVENUECAT_GRANTS_FROM": "2026-02-01T00:00:00Z",
                "GOOGLEPLAY_PACKAGE_NAME": "com.example.app",
                "GOOGLEPLAY_SERVICE_ACCOUNT": try self.serviceAccount(key: self.secrets.googlePlayKey),
                "GOOGLEPLAY_GRANTS_FROM": "2026-03-01T00:00:00Z",
                "GOOGLEPLAY_PUSH_AUDIENCE": "https://wallet.example/webhooks/google-play",
                "GOOGLEPLAY_PUSH_EMAIL": "push@example.iam.gserviceaccount.com",
            ]) { $1 }
        }
    }

    /// Returns the contents of a service account's key file.
    func serviceAccount(key: String) throws -> String {
        let members = [
            "type": "service_account", "client_email": "wallet@example.iam.gserviceaccount.com", "private_key": key,
        ]
        return String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
    }

    /// Reads the settings as `serve` does.
    func read(_ changes: [String: String?] = [:], from environment: [String: String]? = nil) async throws -> Settings {
        var environment = try environment ?? self.environment
        for (key, value) in changes { environment[key] = value }
        return try await Settings.load(environment: environment, environmentFile: "\(self.home.path)/none")
    }

    /// Returns the error that refuses the configuration, or nil if it is valid.
    func refusal(_ changes: [String: String?]) async throws -> CommandError? {
        let settings = try await self.read(changes)
        do throws(CommandError) {
            _ = try ServiceConfiguration(reader: settings)
            return nil
        } catch {
            return error
        }
    }

    func write(_ data: Data, to name: String) throws -> String {
        try data.write(to: URL(filePath: "\(self.home.path)/\(name)"))
        return "\(self.home.path)/\(name)"
    }

    func write(_ text: String, to name: String) throws -> String {
        try self.home.write(text, to: name)
        return "\(self.home.path)/\(name)"
    }
}
