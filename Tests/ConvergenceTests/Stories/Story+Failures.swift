extension Story {
    private static let recovered =
        holds(visits: 15) + [
            "ann plan enthusiast: 10 left, until day 60", "ann plan enthusiast: 5 left, until day 60",
            "ann enthusiast: active, tier 2, until day 60, renews",
        ]

    static let failures: [Story] = [
        // In some orders RENEWAL arrives before BILLING_ISSUE and before INITIAL_PURCHASE, whose unused visits roll
        // over.
        .appStore("a failed renewal with grace, then recovery", endsWith: recovered) { shop in
            let sale = try await shop.buy(.enthusiast)
            try await shop.pass(days: 30.01)
            try await shop.step(sale, "billing-issue", ["grace_days": 6])
            try await shop.pass(days: 3)
            let paid = try await shop.step(sale, "recover")
            try await shop.pass(days: 1)
            try await shop.handIn(paid, as: .look)
        },
        .appStore(
            "a stale cancel flag after recovery",
            endsWith: holds(visits: 15) + [
                "ann plan enthusiast: 10 left, until day 65", "ann plan enthusiast: 5 left, until day 65",
                "ann enthusiast: active, tier 2, until day 65, renews",
            ]
        ) { shop in
            let sale = try await shop.buy(.enthusiast)
            try await shop.pass(days: 30.01)
            try await shop.step(sale, "billing-issue")
            try await shop.pass(days: 5)
            let paid = try await shop.step(sale, "recover")
            try await shop.pass(days: 1)
            try await shop.handIn(paid, as: .look)
        },
        // RevenueCat reports with the failure that renewal is off; the App Store reports that it is still on.
        .appStore(
            "a failed renewal, in grace",
            endsWith: holds(visits: 0) + ["ann explorer: grace, tier 1, until day 46, renews"],
            except: [.revenueCat: holds(visits: 0) + ["ann explorer: grace, tier 1, until day 46, ends"]]
        ) { shop in
            let sale = try await shop.buy(.explorer)
            try await shop.pass(days: 30.01)
            try await shop.step(sale, "billing-issue", ["grace_days": 16])
            try await shop.pass(days: 3)
        },
        .appStore(
            "a failed renewal without grace",
            endsWith: holds(visits: 0) + ["ann explorer: billing_retry, tier 0, until day 30, renews"],
            except: [.revenueCat: holds(visits: 0) + ["ann explorer: billing_retry, tier 0, until day 30, ends"]]
        ) { shop in
            let sale = try await shop.buy(.explorer)
            try await shop.pass(days: 30.01)
            try await shop.step(sale, "billing-issue")
            try await shop.pass(days: 3)
        },
        .appStore(
            "a failed renewal that expires",
            endsWith: holds(visits: 0) + ["ann explorer: expired, tier 0, until day 36, ends"]
        ) { shop in
            let sale = try await shop.buy(.explorer)
            try await shop.pass(days: 30.01)
            try await shop.step(sale, "billing-issue", ["grace_days": 6])
            try await shop.pass(days: 6)
            try await shop.step(sale, "end-grace")
            try await shop.pass(days: 24)
            let ended = try await shop.step(sale, "expire")
            try await shop.handIn(ended, as: .look)
        },
    ]
}
