extension Story {
    /// Subscriptions that end and that the user buys again in Google Play, outside the app.
    static let resubscriptions: [Story] = [
        .googlePlay(
            "a resubscription outside the app",
            by: SourceSet.ofGooglePlay + [.reconciliation],
            endsWith: holds(visits: 4) + ended(on: 30) + back(until: 65) + waiting,
            except: [.revenueCat: holds(visits: 4) + ended(on: 30) + back(until: 65)]
        ) { shop in
            let sale = try await shop.buy(.explorer)
            try await shop.pass(days: 30)
            try await shop.step(sale, "expire")
            try await shop.pass(days: 5)
            let back = try await shop.resubscribe(sale)
            try await shop.pass(days: 1)
            try await shop.reconcile(back)
            try await shop.handIn(back, as: .look)
        },
        // Only the expired purchase token identifies the owner.
        .googlePlay(
            "a resubscription outside the app without any account",
            endsWith: holds(visits: 4) + ended(on: 30) + back(until: 65) + waiting,
            except: [.revenueCat: holds(visits: 4) + ended(on: 30) + back(until: 65)]
        ) { shop in
            let sale = try await shop.buy(.explorer, for: .ann, ["app_account_token": ""])
            try await shop.pass(days: 30)
            try await shop.step(sale, "expire")
            try await shop.pass(days: 5)
            let back = try await shop.resubscribe(sale)
            try await shop.pass(days: 1)
            try await shop.handIn(back, as: .look)
        },
        // Only the expired account id identifies the owner.
        .googlePlay(
            "a resubscription outside the app to an unknown purchase",
            endsWith: pack + back(until: 65) + waiting,
            except: [.revenueCat: pack + back(until: 65)]
        ) { shop in
            let sale = try await shop.buy(.explorer)
            try await shop.pass(days: 30)
            try await shop.step(sale, "expire")
            await shop.forget()
            _ = try await shop.buy(.starter)
            try await shop.pass(days: 5)
            let back = try await shop.resubscribe(sale)
            try await shop.pass(days: 1)
            try await shop.handIn(back, as: .look)
        },
        .googlePlay(
            "two resubscriptions outside the app, the second after a renewal",
            endsWith: holds(visits: 4) + ended(on: 30) + ended(on: 95) + back(until: 130) + waiting,
            except: [.revenueCat: holds(visits: 4) + ended(on: 30) + ended(on: 95) + back(until: 130)]
        ) { shop in
            let sale = try await shop.buy(.explorer)
            try await shop.pass(days: 30)
            try await shop.step(sale, "expire")
            try await shop.pass(days: 5)
            let back = try await shop.resubscribe(sale)
            try await shop.acknowledge(back)
            try await shop.pass(days: 30)
            try await shop.step(back, "renew")
            try await shop.pass(days: 30)
            try await shop.step(back, "expire")
            try await shop.pass(days: 5)
            let last = try await shop.resubscribe(back)
            try await shop.pass(days: 1)
            try await shop.handIn(last, as: .look)
        },
    ]

    private static let waiting = ["ann explorer: to be acknowledged"]
    private static let pack = [
        "ann: 25 credits, 4 visits, owes 0 and 0", "ann ledger: 25 credits, debts 0", "ann ledger: 4 visits, debts 0",
        "ann pack starter: 25 left, for ever",
    ]

    private static func back(until day: Int) -> [String] {
        ["ann plan explorer: 4 left, until day \(day)", "ann explorer: active, tier 1, until day \(day), renews"]
    }

    private static func ended(on day: Int) -> [String] { ["ann explorer: expired, tier 0, until day \(day), renews"] }
}
