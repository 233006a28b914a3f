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
        "APPSTORE_RECEIPT_PRODUCTION_URL",
        .fallback(AppStoreReceiptConfiguration.vendorProductionURL),
        "Address that verifies receipts."
    )
    static let appStoreSandboxURL = Self(
        "APPSTORE_RECEIPT_SANDBOX_URL",
        .fallback(AppStoreReceiptConfiguration.vendorSandboxURL),
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
        "APPSTORE_CHECK_REVOCATION",
        .fallback(value: SignedDataConfiguration(bundleIDs: []).checksRevocation),
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
        .fallback(AppStoreServerAPIConfiguration.vendorProductionURL),
        "Address of the App Store Server API."
    )
    static let appStoreAPISandboxURL = Self(
        "APPSTORE_API_SANDBOX_URL",
        .fallback(AppStoreServerAPIConfiguration.vendorSandboxURL),
        "Address of the App Store Server API for test purchases."
    )
    static let appStoreSharesConsumption = Self(
        "APPSTORE_SHARE_CONSUMPTION",
        .fallback(value: StoresConfiguration().sharesConsumption),
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

extension StoresConfiguration {
    /// Reads the configuration of the App Store.
    ///
    /// - Configuration keys: `APPSTORE_SHARE_CONSUMPTION`, `APPSTORE_GRANTS_FROM`, and those of the values below.
    mutating func addAppStore(reader: Settings) throws(CommandError) {
        self.receipts = try AppStoreReceiptConfiguration(reader: reader)
        self.signedData = try SignedDataConfiguration(reader: reader)
        self.serverAPI = try AppStoreServerAPIConfiguration(reader: reader)
        self.offers = try OfferKey(reader: reader)
        self.sharesConsumption = try reader.flag(.appStoreSharesConsumption)
        self.grantsFrom["app_store"] = try reader.instant(.appStoreGrantsFrom)
    }
}

extension AppStoreReceiptConfiguration {
    /// Reads the configuration of receipt verification.
    ///
    /// - Configuration keys: `APPSTORE_BUNDLE_IDS`, `APPSTORE_SHARED_SECRET`, `APPSTORE_RECEIPT_PRODUCTION_URL`,
    ///   `APPSTORE_RECEIPT_SANDBOX_URL`, `APPSTORE_ALLOW_OTHER_HOSTS`.
    fileprivate init(reader: Settings) throws(CommandError) {
        self.init(
            bundleIDs: Set(try reader.list(.appStoreBundleIDs)),
            sharedSecret: try reader.required(.appStoreSharedSecret),
            productionURL: try reader.required(.appStoreProductionURL),
            sandboxURL: try reader.required(.appStoreSandboxURL)
        )
        try reader.allow(
            self.usesVendorEndpoints,
            .appStoreAllowOtherHosts,
            [.appStoreProductionURL, .appStoreSandboxURL]
        )
    }
}

extension SignedDataConfiguration {
    /// Reads which signed data is accepted.
    ///
    /// - Configuration keys: `APPSTORE_BUNDLE_IDS`, `APPSTORE_APPLE_IDS`, `APPSTORE_EXTRA_ROOTS`,
    ///   `APPSTORE_CHECK_REVOCATION`.
    fileprivate init(reader: Settings) throws(CommandError) {
        self.init(bundleIDs: Set(try reader.list(.appStoreBundleIDs)))
        for text in try reader.optionalList(.appStoreAppleIDs) {
            guard let number = Int64(text) else {
                throw ConfigurationKey.appStoreAppleIDs.refused("must contain only numbers.")
            }
            self.appAppleIDs.insert(number)
        }
        for file in try reader.optionalList(.appStoreExtraRoots) {
            self.extraRoots.append(try Self.root(in: file))
        }
        self.checksRevocation = try reader.flag(.appStoreChecksRevocation)
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
}

extension AppStoreServerAPIConfiguration {
    /// Reads the configuration of the App Store Server API; nil if the service does not use it.
    ///
    /// - Configuration keys: `APPSTORE_API_ISSUER_ID`, `APPSTORE_API_KEY_ID`, `APPSTORE_API_PRIVATE_KEY`,
    ///   `APPSTORE_BUNDLE_IDS`, `APPSTORE_API_PRODUCTION_URL`, `APPSTORE_API_SANDBOX_URL`,
    ///   `APPSTORE_ALLOW_OTHER_HOSTS`.
    fileprivate init?(reader: Settings) throws(CommandError) {
        guard let issuerID = try reader.string(.appStoreAPIIssuerID) else { return nil }
        self.init(
            issuerID: issuerID,
            keyID: try reader.required(.appStoreAPIKeyID),
            privateKeyPEM: try reader.required(.appStoreAPIPrivateKey),
            bundleID: try reader.list(.appStoreBundleIDs)[0],
            productionURL: try reader.required(.appStoreAPIProductionURL),
            sandboxURL: try reader.required(.appStoreAPISandboxURL)
        )
        try reader.allow(
            self.usesVendorEndpoints,
            .appStoreAllowOtherHosts,
            [.appStoreAPIProductionURL, .appStoreAPISandboxURL]
        )
    }
}

extension StoresConfiguration.OfferKey {
    /// Reads the key that signs promotional offers; nil if there is none.
    ///
    /// - Configuration keys: `APPSTORE_OFFER_KEY_ID`, `APPSTORE_OFFER_PRIVATE_KEY`, `APPSTORE_BUNDLE_IDS`.
    fileprivate init?(reader: Settings) throws(CommandError) {
        guard let keyID = try reader.string(.appStoreOfferKeyID) else { return nil }
        self.init(
            keyID: keyID,
            privateKeyPEM: try reader.required(.appStoreOfferPrivateKey),
            bundleID: try reader.list(.appStoreBundleIDs)[0]
        )
    }
}
