extension Story {
    static let renewals: [Story] = [
        .appStore(
            "renewals with rollover",
            endsWith: holds(visits: 15) + [
                "ann plan enthusiast: 10 left, until day 90", "ann plan enthusiast: 5 left, until day 90",
                "ann enthusiast: active, tier 2, until day 90, renews",
            ]
        ) { shop in
            let sale = try await shop.buy(.enthusiast)
            try await shop.renew(sale)
            let newest = try await shop.renew(sale)
            try await shop.pass(days: 1)
            try await shop.handIn(newest, as: .look)
        },
        // RevenueCat by itself does not report commitments: it reports a separate product, which the catalogue may
        // contain.
        .appStore(
            "a yearly commitment that is billed monthly",
            by: [.appStore, .appStoreWithoutToken, .appStoreAndRevenueCat, .everybody],
            endsWith: holds(visits: 16) + [
                "ann plan year: 11 left, until day 90", "ann plan year: 5 left, until day 90",
                "ann year: active, tier 2, until day 90, renews",
            ]
        ) { shop in
            let sale = try await shop.buy(.year, for: .ann, ["billing_plan": "monthly"])
            try await shop.renew(sale)
            let newest = try await shop.renew(sale)
            try await shop.pass(days: 1)
            let cancelled = try await shop.step(sale, "cancel")
            try await shop.handIn(newest, as: .look)
            try await shop.handIn(cancelled, as: .look)
        },
        .appStore(
            "a month of a commitment, refunded, and the commitment goes on",
            by: [.appStore, .appStoreWithoutToken, .appStoreAndRevenueCat, .everybody],
            endsWith: holds(visits: 10) + [
                "ann plan year: 10 left, until day 60", "ann year: active, tier 2, until day 60, renews",
            ]
        ) { shop in
            let sale = try await shop.buy(.year, for: .ann, ["billing_plan": "monthly"])
            let newest = try await shop.renew(sale)
            try await shop.pass(days: 1)
            let refunded = try await shop.change(sale, "refund")
            try await shop.handIn(refunded, as: .look)
            try await shop.handIn(newest, as: .look)
        },
        .appStore(
            "a trial that converts",
            endsWith: holds(visits: 10) + [
                "ann plan enthusiast: 10 left, until day 60", "ann enthusiast: active, tier 2, until day 60, renews",
            ]
        ) { shop in
            let sale = try await shop.buy(.enthusiast, for: .ann, ["is_trial": true])
            let paid = try await shop.renew(sale)
            try await shop.pass(days: 1)
            try await shop.handIn(paid, as: .look)
        },
        .appStore(
            "a trial, still running",
            endsWith: [
                "ann: 0 credits, 0 visits, owes 0 and 0", "ann enthusiast: trial, tier 2, until day 30, ends",
            ]
        ) { shop in
            let sale = try await shop.buy(.enthusiast, for: .ann, ["is_trial": true])
            try await shop.pass(days: 3)
            let cancelled = try await shop.step(sale, "cancel")
            try await shop.handIn(cancelled, as: .look)
        },
    ]
}
