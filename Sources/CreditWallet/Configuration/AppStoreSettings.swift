import CommandOutput
import Foundation
import Stores
import SwiftASN1
import WalletAPI
import X509

/// The configuration keys of the App Store.
extension ConfigurationKey {
    static let appStoreBundleIDs = Self(
        "APPSTORE_BUNDLE_IDS",
        .required,
        "Bundle ids of the apps whose purchases are accepted, separated by commas."
    )
    static let appStoreAppleIDs = Self(
        "APPSTORE_APPLE_IDS",
        .optional,
        "Apple ids of those apps (numbers), separated by commas. If set, the service rejects signed data of other apps."
    )
    static let appStoreSharedSecret = Self(
        "APPSTORE_SHARED_SECRET",
        .required,
        isSecret: true,
        "The app-specific shared secret from App Store Connect; each receipt verification sends it."
    )
    static let appStoreGrantsFrom = Self(
        "APPSTORE_GRANTS_FROM",
        .required,
        "Instant (2026-11-21T00:00:00Z) from which purchases grant credits; earlier ones are only recorded. The first "
            + "start sets it; later changes have no effect."
    )
    static let appStoreProductionURL = Self(
        "APPSTORE_PRODUCTION_URL",
        .fallback("https://buy.itunes.apple.com/verifyReceipt"),
        "Address that verifies receipts."
    )
    static let appStoreSandboxURL = Self(
        "APPSTORE_SANDBOX_URL",
        .fallback("https://sandbox.itunes.apple.com/verifyReceipt"),
        "Address that verifies receipts of test purchases."
    )
    static let appStoreAllowOtherHosts = Self(
        "APPSTORE_ALLOW_OTHER_HOSTS",
        .fallback("false"),
        "Allows App Store addresses other than Apple's. Any server at these addresses can grant credits."
    )
    static let appStoreExtraRoots = Self(
        "APPSTORE_EXTRA_ROOTS",
        .optional,
        "Files with additional root certificates (DER), separated by commas. Data signed under one of them counts as a "
            + "test purchase."
    )
    static let appStoreChecksRevocation = Self(
        "APPSTORE_CHECKS_REVOCATION",
        .fallback("false"),
        "Checks with Apple whether a signing certificate was revoked. If true, Apple's outages delay purchases."
    )
    static let appStoreAPIIssuerID = Self(
        "APPSTORE_API_ISSUER_ID",
        .optional,
        "Issuer id of the App Store Server API key. If set, the two keys below are required."
    )
    static let appStoreAPIKeyID = Self("APPSTORE_API_KEY_ID", .required, "Id of the App Store Server API key.")
    static let appStoreAPIPrivateKey = Self(
        "APPSTORE_API_PRIVATE_KEY",
        .required,
        isSecret: true,
        "The App Store Server API key, PEM."
    )
    static let appStoreAPIProductionURL = Self(
        "APPSTORE_API_PRODUCTION_URL",
        .fallback("https://api.storekit.apple.com"),
        "Address of the App Store Server API."
    )
    static let appStoreAPISandboxURL = Self(
        "APPSTORE_API_SANDBOX_URL",
        .fallback("https://api.storekit-sandbox.apple.com"),
        "Address of the App Store Server API for test purchases."
    )
    static let appStoreSharesConsumption = Self(
        "APPSTORE_SHARES_CONSUMPTION",
        .fallback("false"),
        "Before the App Store decides on a refund, sends it how much of the purchase was used. true requires the "
            + "customers' consent."
    )
    static let appStoreHistoryInterval = Self(
        "APPSTORE_HISTORY_INTERVAL",
        .fallback("900"),
        "Seconds between two requests to the App Store Server API for notifications that did not arrive. The first "
            + "request is at the start. 0 disables them on this instance."
    )
    static let appStoreOfferKeyID = Self(
        "APPSTORE_OFFER_KEY_ID",
        .optional,
        "Id of the key that signs promotional offers. If set, the key below is required."
    )
    static let appStoreOfferPrivateKey = Self(
        "APPSTORE_OFFER_PRIVATE_KEY",
        .required,
        isSecret: true,
        "The key that signs promotional offers, PEM."
    )

    static let allOfAppStore = [
        appStoreBundleIDs, appStoreAppleIDs, appStoreSharedSecret, appStoreGrantsFrom, appStoreProductionURL,
        appStoreSandboxURL, appStoreAllowOtherHosts, appStoreExtraRoots, appStoreChecksRevocation, appStoreAPIIssuerID,
        appStoreAPIKeyID, appStoreAPIPrivateKey, appStoreAPIProductionURL, appStoreAPISandboxURL,
        appStoreSharesConsumption, appStoreHistoryInterval, appStoreOfferKeyID,
        appStoreOfferPrivateKey,
    ]
}

extension Settings {
    /// Reads the configuration of the App Store.
    func addAppStore(to stores: inout StoresConfiguration) throws(CommandError) {
        let bundleIDs = try self.list(.appStoreBundleIDs)
        let receipts = AppStoreReceiptConfiguration(
            bundleIDs: Set(bundleIDs),
            sharedSecret: try self.required(.appStoreSharedSecret),
            productionURL: try self.required(.appStoreProductionURL),
            sandboxURL: try self.required(.appStoreSandboxURL)
        )
        try self.allow(
            receipts.usesVendorEndpoints,
            .appStoreAllowOtherHosts,
            [.appStoreProductionURL, .appStoreSandboxURL]
        )
        stores.receipts = receipts
        stores.signedData = try self.signedData(bundleIDs: bundleIDs)
        stores.serverAPI = try self.serverAPI(bundleID: bundleIDs[0])
        stores.offers = try self.offers(bundleID: bundleIDs[0])
        stores.sharesConsumption = try self.flag(.appStoreSharesConsumption)
        stores.grantsFrom["app_store"] = try self.instant(.appStoreGrantsFrom)
    }

    private func signedData(bundleIDs: [String]) throws(CommandError) -> SignedDataConfiguration {
        var configuration = SignedDataConfiguration(bundleIDs: Set(bundleIDs))
        for text in try self.optionalList(.appStoreAppleIDs) {
            guard let number = Int64(text) else {
                throw CommandError(
                    .configuration,
                    "\(ConfigurationKey.appStoreAppleIDs.name) must contain only numbers."
                )
            }
            configuration.appAppleIDs.insert(number)
        }
        for file in try self.optionalList(.appStoreExtraRoots) {
            configuration.extraRoots.append(try Self.root(in: file))
        }
        configuration.checksRevocation = try self.flag(.appStoreChecksRevocation)
        return configuration
    }

    private static func root(in file: String) throws(CommandError) -> [UInt8] {
        guard let root = FileManager.default.contents(atPath: file) else {
            throw CommandError(.configuration, "\(file) (\(ConfigurationKey.appStoreExtraRoots.name)) does not exist.")
        }
        guard (try? Certificate(derEncoded: Array(root))) != nil else {
            throw CommandError(
                .configuration,
                "\(file) (\(ConfigurationKey.appStoreExtraRoots.name)) is not a DER certificate."
            )
        }
        return Array(root)
    }

    private func serverAPI(bundleID: String) throws(CommandError) -> AppStoreServerAPIConfiguration? {
        guard let issuerID = try self.string(.appStoreAPIIssuerID) else { return nil }
        let configuration = AppStoreServerAPIConfiguration(
            issuerID: issuerID,
            keyID: try self.required(.appStoreAPIKeyID),
            privateKeyPEM: try self.required(.appStoreAPIPrivateKey),
            bundleID: bundleID,
            productionURL: try self.required(.appStoreAPIProductionURL),
            sandboxURL: try self.required(.appStoreAPISandboxURL)
        )
        try self.allow(
            configuration.usesVendorEndpoints,
            .appStoreAllowOtherHosts,
            [.appStoreAPIProductionURL, .appStoreAPISandboxURL]
        )
        return configuration
    }

    private func offers(bundleID: String) throws(CommandError) -> StoresConfiguration.OfferKey? {
        guard let keyID = try self.string(.appStoreOfferKeyID) else { return nil }
        return StoresConfiguration.OfferKey(
            keyID: keyID,
            privateKeyPEM: try self.required(.appStoreOfferPrivateKey),
            bundleID: bundleID
        )
    }
}
