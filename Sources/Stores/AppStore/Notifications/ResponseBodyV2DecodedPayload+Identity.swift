import Foundation

extension ResponseBodyV2DecodedPayload: SignedPayload {
    var signedAt: Date? { self.signedDate }
    var namedEnvironment: AppStoreEnvironment? { self.identity?.environment }

    /// The app and the store environment, from the first part that is present; nil if none is, which does not occur in
    /// the store's notifications.
    var identity: AppIdentity? {
        if let data = self.data {
            AppIdentity(bundleID: data.bundleId, appAppleID: data.appAppleId, environment: data.environment)
        } else if let summary = self.summary {
            AppIdentity(bundleID: summary.bundleId, appAppleID: summary.appAppleId, environment: summary.environment)
        } else if let token = self.externalPurchaseToken {
            AppIdentity(bundleID: token.bundleId, appAppleID: token.appAppleId, environment: token.environment)
        } else if let app = self.appData {
            AppIdentity(bundleID: app.bundleId, appAppleID: app.appAppleId, environment: app.environment)
        } else {
            nil
        }
    }
}

extension ResponseBodyV2DecodedPayload.ExternalPurchaseToken {
    /// The store environment; the token reveals it only by the prefix of its id.
    fileprivate var environment: AppStoreEnvironment? {
        guard let id = self.externalPurchaseId else { return nil }
        return id.hasPrefix("SANDBOX") ? .sandbox : .production
    }
}
