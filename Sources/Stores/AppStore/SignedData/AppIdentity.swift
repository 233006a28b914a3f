/// The app and the store environment that signed data is about.
struct AppIdentity: Hashable {
    let bundleID: String?
    var appAppleID: Int64?
    let environment: AppStoreEnvironment?

    /// Checks that the data is about one of the accepted apps, and returns the store environment.
    ///
    /// The app's number is compared for production data, and for all data if only production is accepted.
    /// - Parameters:
    ///   - configuration: The accepted apps and environments.
    ///   - carriesNumber: `true` if this kind of data contains the app's number.
    ///   - isUnderExtraRoot: `true` if an extra root signed the data, which is then treated as sandbox data.
    /// - Returns: The store environment.
    /// - Throws: ``StoreError``: `wrongApp`, else `wrongEnvironment`.
    func side(
        accordingTo configuration: SignedDataConfiguration,
        carriesNumber: Bool,
        isUnderExtraRoot: Bool
    ) throws(StoreError) -> StoreEnvironment {
        guard let bundleID, configuration.bundleIDs.contains(bundleID) else { throw StoreError(.wrongApp) }
        let side = isUnderExtraRoot && self.environment?.side != nil ? .sandbox : self.environment?.side
        let isProductionOnly = !configuration.environments.contains(.sandbox)
        if carriesNumber && !configuration.appAppleIDs.isEmpty && (side == .production || isProductionOnly) {
            guard let appAppleID, configuration.appAppleIDs.contains(appAppleID) else { throw StoreError(.wrongApp) }
        }
        guard let side, configuration.environments.contains(side) else { throw StoreError(.wrongEnvironment) }
        return side
    }
}
