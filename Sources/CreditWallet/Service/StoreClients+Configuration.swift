import AsyncHTTPClient
import Foundation
import Logging
import Stores

extension StoreClients {
    /// Creates the clients of all configured stores.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the stores.
    ///   - httpClient: The HTTP client for the calls.
    ///   - logger: The logger for failures.
    ///   - clock: The wallet's clock.
    /// - Throws: ``CommandError`` with the name of an invalid key.
    init(
        _ configuration: StoresConfiguration,
        httpClient: HTTPClient,
        logger: Logger,
        clock: @escaping @Sendable () -> Date
    ) throws(CommandError) {
        self.init()
        try self.addAppStore(configuration, httpClient, logger, clock)
        self.revenueCatWebhook = configuration.revenueCatWebhook.map {
            RevenueCatWebhook(configuration: $0, now: clock)
        }
        self.revenueCat = configuration.revenueCat.map {
            RevenueCatAPI(configuration: $0, httpClient: httpClient, logger: logger, wallClock: clock)
        }
        guard let googlePlay = configuration.googlePlay else { return }
        self.googlePlay = GooglePlayAPI(
            configuration: googlePlay,
            httpClient: httpClient,
            logger: logger,
            wallClock: clock
        )
        self.refundReviews = configuration.refundReviews
        self.googlePlayNotifications = GooglePlayNotifications(packageName: googlePlay.packageName)
    }

    /// Creates a value from a secret key; an error names the configuration key but never shows the secret.
    private static func using<Value>(
        _ key: ConfigurationKey,
        _ make: () throws -> Value
    ) throws(CommandError) -> Value {
        do {
            return try make()
        } catch {
            throw CommandError(.configuration, "\(key.name) does not contain a valid key.")
        }
    }

    private mutating func addAppStore(
        _ configuration: StoresConfiguration,
        _ httpClient: HTTPClient,
        _ logger: Logger,
        _ clock: @escaping @Sendable () -> Date
    ) throws(CommandError) {
        self.receipts = configuration.receipts.map {
            AppStoreReceiptVerifier(configuration: $0, httpClient: httpClient, logger: logger, wallClock: clock)
        }
        guard let signedData = configuration.signedData else { return }
        let verifier = SignedDataVerifier(
            configuration: signedData,
            httpClient: httpClient,
            logger: logger,
            wallClock: clock
        )
        self.signedData = verifier
        if let serverAPI = configuration.serverAPI {
            self.serverAPI = try Self.using(.appStoreAPIPrivateKey) {
                try AppStoreServerAPI(
                    configuration: serverAPI,
                    verifier: verifier,
                    httpClient: httpClient,
                    logger: logger,
                    wallClock: clock
                )
            }
        }
        if let offers = configuration.offers {
            self.offers = try Self.using(.appStoreOfferPrivateKey) {
                try PromotionalOfferSigner(keyID: offers.keyID, privateKeyPEM: offers.privateKeyPEM)
            }
        }
        self.offerBundleID = configuration.offers?.bundleID
        self.sharesConsumption = configuration.sharesConsumption
    }
}
