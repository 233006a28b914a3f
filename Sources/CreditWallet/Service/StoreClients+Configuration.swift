import AsyncHTTPClient
import Foundation
import Logging
import Stores

extension StoreClients {
    /// Makes the ways to every store that is configured.
    ///
    /// - Parameters:
    ///   - configuration: Which stores, and how each is reached.
    ///   - httpClient: Carries the calls.
    ///   - logger: Hears of failures.
    ///   - clock: The wallet's clock.
    /// - Throws: ``CommandError`` for keys that are none.
    init(
        _ configuration: StoresConfiguration,
        httpClient: HTTPClient,
        logger: Logger,
        clock: @escaping @Sendable () -> Date
    ) throws(CommandError) {
        self.init()
        do {
            try self.addAppStore(configuration, httpClient, logger, clock)
            self.revenueCatWebhook = configuration.revenueCatWebhook.map {
                RevenueCatWebhook(configuration: $0, now: clock)
            }
            self.revenueCat = try configuration.revenueCat.map {
                try RevenueCatAPI(configuration: $0, httpClient: httpClient, logger: logger, wallClock: clock)
            }
            if let googlePlay = configuration.googlePlay {
                self.googlePlay = try GooglePlayAPI(
                    configuration: googlePlay,
                    httpClient: httpClient,
                    logger: logger,
                    wallClock: clock
                )
                self.googlePlayNotifications = GooglePlayNotifications(packageName: googlePlay.packageName)
            }
        } catch {
            throw CommandError(.configuration, "A store's key or certificate cannot be used: \(error)")
        }
    }

    private mutating func addAppStore(
        _ configuration: StoresConfiguration,
        _ httpClient: HTTPClient,
        _ logger: Logger,
        _ clock: @escaping @Sendable () -> Date
    ) throws {
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
        self.serverAPI = try configuration.serverAPI.map {
            try AppStoreServerAPI(
                configuration: $0,
                verifier: verifier,
                httpClient: httpClient,
                logger: logger,
                wallClock: clock
            )
        }
        self.offers = try configuration.offers.map {
            try PromotionalOfferSigner(keyID: $0.keyID, privateKeyPEM: $0.privateKeyPEM)
        }
        self.offerBundleID = configuration.offers?.bundleID
        self.sharesConsumption = configuration.sharesConsumption
    }
}
