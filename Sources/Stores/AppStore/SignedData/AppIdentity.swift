/// Which app, on which side of the store, signed data is about.
struct AppIdentity: Hashable {
    let bundleID: String?
    var appAppleID: Int64?
    let environment: AppStoreEnvironment?

    /// Checks that the data is about one of our apps, and returns the store's environment.
    ///
    /// The app's number is compared on the production side, and for everything where only that side is accepted.
    /// - Parameters:
    ///   - configuration: the apps and the sides that are accepted.
    ///   - carriesNumber: whether data of this sort carries the app's number.
    ///   - isUnderExtraRoot: the data is signed under a further root, and so counts as sandbox.
    /// - Returns: the side of the store.
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
