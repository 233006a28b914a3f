import Foundation

extension ResponseBodyV2DecodedPayload: SignedPayload {
    var signedAt: Date? { self.signedDate }
    var namedEnvironment: AppStoreEnvironment? { self.identity?.environment }

    /// The app and the side of the store, from the first part that is there; nil where none is, which no notification
    /// of the store lacks.
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
    /// The token names its side of the store in its id only.
    fileprivate var environment: AppStoreEnvironment? {
        guard let id = self.externalPurchaseId else { return nil }
        return id.hasPrefix("SANDBOX") ? .sandbox : .production
    }
}
