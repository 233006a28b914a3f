import Foundation
import WalletClient

extension LiveWallet {
    /// Makes the running service reconcile one user's purchases, as an operator does.
    func reconcile(_ user: LiveUser, isDryRun: Bool = false) async throws -> WebAnswer {
        try await self.operate(.post, "/operator/reconcile?dry_run=\(isDryRun)", ["user_id": .string(user.id)])
    }

    /// Runs `credit-wallet reconcile` against the instance's database and stores.
    func reconcileByCommand(
        _ arguments: [String],
        stores: String,
        _ settings: [String: String] = [:]
    ) async throws -> (status: Int32, output: String) {
        let root = "\(self.directory)/root.cer"
        let certificate = try await WebClient(baseURL: self.description.storeURL).send(.get, "/sandbox/root.cer").body
        try certificate.write(to: URL(filePath: root))
        let environment = try self.appStoreSettings(root: root)
            .merging(self.otherSettings()) { $1 }
            .merging(["STORES": stores, "DATABASE_URL": self.description.databaseURL]) { $1 }
            .merging(settings) { $1 }
        return try await Executable.run(["reconcile"] + arguments, environment: environment)
    }

    private func appStoreSettings(root: String) throws -> [String: String] {
        [
            "APPSTORE_BUNDLE_IDS": "com.hobbyist.bookingapp",
            "APPSTORE_SHARED_SECRET": try self.secret("app-store-shared-secret"),
            "APPSTORE_GRANTS_FROM": "2020-01-01T00:00:00Z",
            "APPSTORE_RECEIPT_PRODUCTION_URL": "\(self.description.storeURL)/verifyReceipt",
            "APPSTORE_RECEIPT_SANDBOX_URL": "\(self.description.storeURL)/sandbox/verifyReceipt",
            "APPSTORE_ALLOW_OTHER_HOSTS": "true",
            "APPSTORE_EXTRA_ROOTS": root,
            "APPSTORE_API_ISSUER_ID": "57246542-96fe-1a63-e053-0824d011072a",
            "APPSTORE_API_KEY_ID": "DEVKEY0001",
            "APPSTORE_API_PRIVATE_KEY": try self.secret("app-store-key"),
            "APPSTORE_API_PRODUCTION_URL": self.description.storeURL,
            "APPSTORE_API_SANDBOX_URL": "\(self.description.storeURL)/sandbox-api",
        ]
    }

    private func otherSettings() throws -> [String: String] {
        let account: [String: JSONValue] = [
            "type": "service_account", "client_email": "wallet@dev.credit-wallet.invalid",
            "private_key": .string(try self.secret("google-play-key")),
            "token_uri": .string("\(self.description.storeURL)/token"),
        ]
        return [
            "REVENUECAT_API_KEY": try self.secret("revenuecat-api-key"),
            "REVENUECAT_SIGNING_SECRET": try self.secret("revenuecat-signing-secret"),
            "REVENUECAT_URL": self.description.storeURL,
            "REVENUECAT_ALLOW_OTHER_HOSTS": "true",
            "REVENUECAT_GRANTS_FROM": "2020-01-01T00:00:00Z",
            "GOOGLEPLAY_PACKAGE_NAME": "com.hobbyist.bookingapp",
            "GOOGLEPLAY_SERVICE_ACCOUNT": String(decoding: try JSONEncoder().encode(account), as: UTF8.self),
            "GOOGLEPLAY_GRANTS_FROM": "2020-01-01T00:00:00Z",
            "GOOGLEPLAY_PUSH_AUDIENCE": "nobody",
            "GOOGLEPLAY_PUSH_EMAIL": "nobody@example.com",
            "GOOGLEPLAY_URL": self.description.storeURL,
            "GOOGLEPLAY_TOKEN_URL": "\(self.description.storeURL)/token",
            "GOOGLEPLAY_KEYS_URL": "\(self.description.storeURL)/oauth2/v3/certs",
            "GOOGLEPLAY_ALLOW_OTHER_HOSTS": "true",
        ]
    }
}

extension WebAnswer {
    /// The differences that a reconciliation found, each with its transaction.
    var findings: Set<String> {
        Set(
            self["differences"]?.items.map { finding in
                "\(finding["difference"]?.stringValue ?? "") \(finding["transaction_id"]?.stringValue ?? "")"
            } ?? []
        )
    }
}
