import Hummingbird

extension SandboxStores {
    private struct BillingIssue: Decodable {
        let graceDays: Int?
    }

    private struct Pause: Decodable {
        let resumeDays: Int?
    }

    private struct ProductChange: Decodable {
        let productId: String
        let mode: String
    }

    private struct Transfer: Decodable {
        let toUserId: String
    }

    static let subscriptionSteps = [
        "renew", "cancel", "uncancel", "billing-issue", "end-grace", "recover", "expire", "pause", "resume",
        "change-product", "transfer", "resubscribe",
    ]

    func addSubscriptionRoutes(to router: Router<SandboxContext>) {
        let group = router.group("sandbox/subscriptions/:id").add(middleware: CatalogueMiddleware(ledger: self.ledger))
        group.post("renew") { _, context in try await self.notify(self.ledger.renew(context.id)) }
        group.post("cancel") { _, context in try await self.notify(self.ledger.cancel(context.id)) }
        group.post("uncancel") { _, context in try await self.notify(self.ledger.uncancel(context.id)) }
        group.post("recover") { _, context in try await self.notify(self.ledger.recover(context.id)) }
        group.post("end-grace") { _, context in try await self.notify(self.ledger.endGrace(context.id)) }
        group.post("expire") { _, context in try await self.notify(self.ledger.expire(context.id)) }
        group.post("resubscribe") { _, context in try await self.notify(self.ledger.resubscribe(context.id)) }
        group.post("resume") { _, context in try await self.notify(self.ledger.resume(context.id)) }
        self.addSubscriptionRoutesWithBodies(to: group)
        group.post(":step") { _, context -> Response in
            throw ControlRefusal.unknownStep(try context.parameters.require("step"), known: Self.subscriptionSteps)
        }
    }

    private func addSubscriptionRoutesWithBodies(to group: RouterGroup<SandboxContext>) {
        group.post("billing-issue") { request, context in
            let days = try await request.options(BillingIssue.self, context)?.graceDays
            try Self.check(days, "grace_days")
            return try await self.notify(self.ledger.failBilling(context.id, graceDays: days))
        }
        group.post("pause") { request, context in
            let days = try await request.options(Pause.self, context)?.resumeDays
            try Self.check(days, "resume_days")
            return try await self.notify(self.ledger.pause(context.id, days: days))
        }
        group.post("change-product") { request, context in
            let change = try await request.control(ProductChange.self, context)
            switch change.mode {
            case "upgrade": return try await self.notify(self.ledger.upgrade(context.id, to: change.productId))
            case "downgrade": return try await self.notify(self.ledger.downgrade(context.id, to: change.productId))
            default: throw ControlRefusal.member("mode", "must be upgrade or downgrade", received: change.mode)
            }
        }
        group.post("transfer") { request, context in
            let transfer = try await request.control(Transfer.self, context)
            guard !transfer.toUserId.isEmpty else {
                throw ControlRefusal.invalid("The member \"to_user_id\" must not be empty.")
            }
            return try await self.notify(self.ledger.transfer(context.id, to: transfer.toUserId))
        }
    }

    private static func check(_ days: Int?, _ name: String) throws {
        guard let days, !(1...366).contains(days) else { return }
        throw ControlRefusal.member(name, "must be from 1 to 366", received: "\(days)")
    }
}
