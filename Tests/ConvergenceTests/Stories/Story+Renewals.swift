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
            endsWith: ["ann enthusiast: trial, tier 2, until day 30, ends"]
        ) { shop in
            let sale = try await shop.buy(.enthusiast, for: .ann, ["is_trial": true])
            try await shop.pass(days: 3)
            let cancelled = try await shop.step(sale, "cancel")
            try await shop.handIn(cancelled, as: .look)
        },
    ]
}
