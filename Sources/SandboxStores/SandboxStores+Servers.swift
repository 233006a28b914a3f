import Hummingbird

extension SandboxStores {
    /// Adds the servers of the stores that are configured beside the App Store.
    func addStoreRoutes(to router: Router<SandboxContext>) {
        if let revenueCat { self.addSubscriberRoutes(of: revenueCat, to: router) }
        if let play {
            self.addPlayTokenRoutes(of: play, to: router)
            self.addPublisherRoutes(of: play, to: router)
        }
    }
}
