import Foundation
import Hummingbird

extension SandboxStores {
    /// Adds the endpoints of RevenueCat's API.
    func addSubscriberRoutes(of face: RevenueCatServer, to router: Router<SandboxContext>) {
        let subscribers = router.group("v1/subscribers")
            .add(middleware: FaultMiddleware(faults: self.faults, target: .revenueCat))
        subscribers.get(":user") { request, context in
            guard SharedSecret.isSame(request.headers[.authorization] ?? "", as: "Bearer \(face.settings.apiKey)")
            else {
                let refusal: StoreJSON = ["code": 7_225, "message": "Invalid API Key."]
                return try Response.json(refusal, status: .unauthorized)
            }
            let userID = try context.segment("user")
            let subscriber = RevenueCatSubscriber(
                userID: userID,
                state: await self.ledger.state,
                entitlementID: face.settings.entitlementID,
                now: await self.ledger.now
            )
            let isKnown = subscriber.isKnown || face.customers.knows(userID)
            return try Response.json(subscriber.body, status: isKnown ? .ok : .created)
        }
    }
}
