import Hummingbird

extension SandboxStores {
    /// Adds the endpoints of the stores that are configured in addition to the App Store.
    func addStoreRoutes(to router: Router<SandboxContext>) {
        if let revenueCat { self.addSubscriberRoutes(of: revenueCat, to: router) }
        if let play {
            self.addPlayTokenRoutes(of: play, to: router)
            self.addPublisherRoutes(of: play, to: router)
        }
    }
}
