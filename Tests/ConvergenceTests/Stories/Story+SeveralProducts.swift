extension Story {
    /// Purchases of several products, reported by the app, webhooks, the stores' answers and reconciliations.
    static let severalProducts: [Story] = [
        .googlePlay(
            "two packs of one token",
            by: SourceSet.ofGooglePlay + SourceSet.reconciled,
            endsWith: holds(credits: 225) + [
                "ann pack power: 200 left, for ever", "ann pack starter: 25 left, for ever",
            ]
        ) { shop in
            let packs = ["further_product_ids": [Product.power.id]]
            let sale = try await shop.buy(.starter, for: .ann, packs)
            try await shop.pass(days: 1)
            try await shop.reconcile(sale)
            try await shop.handIn(sale, as: .look)
        },
        .googlePlay(
            "three packs of one token, one of them thrice, paid later",
            by: SourceSet.ofGooglePlay + SourceSet.reconciled,
            endsWith: holds(credits: 325) + [
                "ann pack starter: 75 left, for ever", "ann pack power: 200 left, for ever",
                "ann pack explorer: 50 left, for ever", "ann starter: to be acknowledged",
                "ann power: to be acknowledged", "ann explorer: to be acknowledged",
            ]
        ) { shop in
            let packs: [String: any Sendable] = [
                "further_product_ids": [Product.power.id, Product.explorerPack.id], "quantity": 3, "pending": true,
            ]
            let sale = try await shop.buy(.starter, for: .ann, packs)
            try await shop.pass(days: 1)
            let paid = try await shop.change(sale, "complete")
            try await shop.handIn(paid)
            try await shop.reconcile(paid)
            try await shop.handIn(paid, as: .look)
        },
        .googlePlay(
            "renewals with an add-on",
            by: SourceSet.ofGooglePlay + SourceSet.reconciled,
            endsWith: holds(visits: 19) + [
                "ann plan explorer: 4 left, until day 60", "ann plan enthusiast: 10 left, until day 60",
                "ann plan enthusiast: 5 left, until day 60",
                "ann explorer: active, tier 1, until day 60, renews",
                "ann enthusiast: active, tier 2, until day 60, renews",
            ]
        ) { shop in
            let sale = try await shop.buy(.explorer, for: .ann, ["further_product_ids": [Product.enthusiast.id]])
            try await shop.pass(days: 30)
            try await shop.step(sale, "renew")
            try await shop.pass(days: 1)
            try await shop.reconcile(sale)
            try await shop.handIn(sale, as: .look)
        },
        .googlePlay(
            "an add-on, cancelled and over",
            by: SourceSet.ofGooglePlay + SourceSet.reconciled,
            endsWith: holds(visits: 0) + [
                "ann explorer: expired, tier 0, until day 30, ends",
                "ann enthusiast: expired, tier 0, until day 30, ends",
            ]
        ) { shop in
            let sale = try await shop.buy(.explorer, for: .ann, ["further_product_ids": [Product.enthusiast.id]])
            try await shop.pass(days: 5)
            try await shop.step(sale, "cancel")
            try await shop.pass(days: 25)
            try await shop.step(sale, "expire")
            try await shop.reconcile(sale)
            try await shop.handIn(sale, as: .look)
        },
        .googlePlay(
            "renewals with two add-ons",
            by: SourceSet.ofGooglePlay + SourceSet.reconciled,
            endsWith: holds(visits: 19) + [
                "ann plan explorer: 4 left, until day 60", "ann plan enthusiast: 10 left, until day 60",
                "ann plan enthusiast: 5 left, until day 60",
                "ann explorer: active, tier 1, until day 60, renews",
                "ann enthusiast: active, tier 2, until day 60, renews",
                "ann unlimited: active, tier 3, until day 60, renews",
            ]
        ) { shop in
            let addOns = ["further_product_ids": [Product.enthusiast.id, Product.unlimited.id]]
            let sale = try await shop.buy(.explorer, for: .ann, addOns)
            try await shop.pass(days: 30)
            try await shop.step(sale, "renew")
            try await shop.pass(days: 1)
            try await shop.reconcile(sale)
            try await shop.handIn(sale, as: .look)
        },
        .appStore(
            "two packs in one receipt",
            by: SourceSet.ofAppStore + SourceSet.reconciled,
            endsWith: holds(credits: 225) + [
                "ann pack power: 200 left, for ever", "ann pack starter: 25 left, for ever",
            ]
        ) { shop in
            _ = try await shop.buy(.starter)
            let sale = try await shop.buy(.power)
            try await shop.pass(days: 1)
            try await shop.reconcile(sale)
            try await shop.handIn(sale, as: .look)
        },
        .appStore(
            "three packs in one receipt, one of them thrice",
            by: SourceSet.ofAppStore + SourceSet.reconciled,
            endsWith: holds(credits: 325) + [
                "ann pack starter: 75 left, for ever", "ann pack power: 200 left, for ever",
                "ann pack explorer: 50 left, for ever",
            ]
        ) { shop in
            _ = try await shop.buy(.starter, for: .ann, ["quantity": 3])
            _ = try await shop.buy(.power)
            let sale = try await shop.buy(.explorerPack)
            try await shop.pass(days: 1)
            try await shop.reconcile(sale)
            try await shop.handIn(sale, as: .look)
        },
    ]
}
