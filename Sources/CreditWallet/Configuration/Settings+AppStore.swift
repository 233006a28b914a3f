import Foundation
import Stores
import SwiftASN1
import X509

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
