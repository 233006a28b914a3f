import CryptoExtras
import Foundation
import Stores
import WalletAPI

extension Settings {
    /// Returns the configuration of the enabled stores.
    func stores() throws(CommandError) -> StoresConfiguration {
        var stores = StoresConfiguration()
        for name in try self.storeNames() {
            switch name {
            case "app_store": try self.addAppStore(to: &stores)
            case "play_store": try self.addGooglePlay(to: &stores)
            case "revenuecat": try self.addRevenueCat(to: &stores)
            default:
                throw CommandError(
                    .configuration,
                    "\(ConfigurationKey.stores.name) may contain app_store, play_store and revenuecat, or only none."
                )
            }
        }
        return stores
    }

    /// Returns the names of the enabled stores, empty for `none`.
    ///
    /// An empty value is refused, because it is probably a mistake.
    func storeNames() throws(CommandError) -> [String] {
        let stores = try self.required(.stores).split(separator: ",")
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        guard self.raw(.stores) != "", !stores.isEmpty else {
            throw CommandError(
                .configuration,
                "\(ConfigurationKey.stores.name) is empty. Set one or more of app_store, play_store and revenuecat, or "
                    + "none to enable no store, or remove the key for app_store."
            )
        }
        return stores == ["none"] ? [] : stores
    }

    private func addRevenueCat(to stores: inout StoresConfiguration) throws(CommandError) {
        let webhook = RevenueCatWebhookConfiguration(
            authorizations: try self.optionalList(.revenueCatAuthorization),
            signingSecrets: try self.optionalList(.revenueCatSigningSecret),
            signatureHeader: try self.required(.revenueCatSignatureHeader),
            currencyCode: try self.string(.revenueCatCurrency)
        )
        guard !webhook.authorizations.isEmpty || !webhook.signingSecrets.isEmpty else {
            throw CommandError(
                .configuration,
                "\(ConfigurationKey.revenueCatAuthorization.name) or \(ConfigurationKey.revenueCatSigningSecret.name) is "
                    + "missing."
            )
        }
        stores.revenueCatWebhook = webhook
        if let key = try self.string(.revenueCatAPIKey) {
            let api = RevenueCatAPIConfiguration(secretKey: key, baseURL: try self.required(.revenueCatURL))
            try self.allow(api.usesVendorEndpoints, .revenueCatAllowOtherHosts, [.revenueCatURL])
            stores.revenueCat = api
        }
        let grantsFrom = try self.instant(.revenueCatGrantsFrom)
        for store in try self.list(.revenueCatStores) where stores.grantsFrom[store] == nil {
            stores.grantsFrom[store] = grantsFrom
        }
    }

    private func addGooglePlay(to stores: inout StoresConfiguration) throws(CommandError) {
        stores.googlePlay = try self.googlePlay()
        var pushes = PushConfiguration(
            audience: try self.required(.googlePlayPushAudience),
            email: try self.required(.googlePlayPushEmail),
            keysURL: try self.required(.googlePlayKeysURL)
        )
        pushes.keySets.allowsPlainLoopback = try self.flag(.googlePlayAllowOtherHosts)
        let isVendor = pushes.usesVendorEndpoints && (stores.googlePlay?.usesVendorEndpoints ?? false)
        try self.allow(
            isVendor,
            .googlePlayAllowOtherHosts,
            [.googlePlayURL, .googlePlayTokenURL, .googlePlayKeysURL]
        )
        stores.pushes = pushes
        stores.refundReviews = try self.refundReviews()
        stores.grantsFrom["play_store"] = try self.instant(.googlePlayGrantsFrom)
    }

    private func refundReviews() throws(CommandError) -> RefundReviewAnswer.Preference? {
        let text = try self.required(.googlePlayRefundReviews)
        if text == "off" { return nil }
        guard let preference = RefundReviewAnswer.Preference(rawValue: text.uppercased()), text == text.lowercased()
        else {
            throw CommandError(
                .configuration,
                "\(ConfigurationKey.googlePlayRefundReviews.name) must be off, neutral, decline or approve."
            )
        }
        return preference
    }

    private func googlePlay() throws(CommandError) -> GooglePlayConfiguration {
        let account = Data(try self.required(.googlePlayServiceAccount).utf8)
        let packageName = try self.required(.googlePlayPackageName)
        guard var configuration = try? GooglePlayConfiguration(serviceAccountJSON: account, packageName: packageName),
            (try? _RSA.Signing.PrivateKey(pemRepresentation: configuration.privateKeyPEM)) != nil
        else {
            throw CommandError(
                .configuration,
                "\(ConfigurationKey.googlePlayServiceAccount.name) is not a service account's key file."
            )
        }
        configuration.baseURL = try self.required(.googlePlayURL)
        configuration.tokenURL = try self.required(.googlePlayTokenURL)
        return configuration
    }

    /// Refuses addresses other than the vendor's, unless the operator allows them with a flag.
    func allow(
        _ isVendor: Bool,
        _ flag: ConfigurationKey,
        _ addresses: [ConfigurationKey]
    ) throws(CommandError) {
        if isVendor { return }
        if try self.flag(flag) { return }
        let names = addresses.map(\.name).joined(separator: ", ")
        throw CommandError(
            .configuration,
            "One of \(names) is not the store's official address. Set \(flag.name)=true to allow it."
        )
    }

    /// Returns values separated by commas; empty if the key is not set.
    func optionalList(_ key: ConfigurationKey) throws(CommandError) -> [String] {
        try self.string(key) == nil ? [] : try self.list(key)
    }
}
