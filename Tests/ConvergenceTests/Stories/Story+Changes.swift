extension Story {
    static let changes: [Story] = [
        .appStore(
            "a downgrade at the renewal",
            endsWith: holds(visits: 9) + [
                "ann plan explorer: 4 left, until day 60", "ann plan explorer: 5 left, until day 60",
                "ann explorer: active, tier 1, until day 60, renews",
            ]
        ) { shop in
            let sale = try await shop.buy(.enthusiast)
            try await shop.pass(days: 10)
            try await shop.step(sale, "change-product", ["product_id": Product.explorer.id, "mode": "downgrade"])
            try await shop.pass(days: 19.75)
            let renewed = try await shop.step(sale, "renew")
            try await shop.pass(days: 1)
            try await shop.handIn(renewed, as: .look)
        },
        .appStore(
            "an upgrade in the middle",
            endsWith: holds(visits: 10) + [
                "ann plan enthusiast: 10 left, until day 40", "ann enthusiast: active, tier 2, until day 40, renews",
            ]
        ) { shop in
            let sale = try await shop.buy(.explorer)
            try await shop.pass(days: 10)
            let better = try await shop.step(
                sale,
                "change-product",
                ["product_id": Product.enthusiast.id, "mode": "upgrade"]
            )
            try await shop.pass(days: 1)
            try await shop.handIn(better, as: .look)
        },
        .appStore(
            "an upgrade to a plan without visits, then its renewal",
            endsWith: holds(visits: 0) + ["ann unlimited: active, tier 3, until day 70, renews"]
        ) { shop in
            let sale = try await shop.buy(.enthusiast)
            try await shop.pass(days: 10)
            try await shop.step(sale, "change-product", ["product_id": Product.unlimited.id, "mode": "upgrade"])
            try await shop.renew(sale)
            try await shop.pass(days: 1)
        },
        .appStore(
            "a transfer",
            by: [.revenueCat],
            endsWith: holds(visits: 0) + holds(.bob, visits: 4) + [
                "bob plan explorer: 4 left, until day 60", "bob explorer: active, tier 1, until day 60, renews",
            ]
        ) { shop in
            let sale = try await shop.buy(.explorer)
            try await shop.pass(days: 5)
            try await shop.step(sale, "transfer", ["to_user_id": User.bob.id])
            try await shop.pass(days: 24.75)
            try await shop.step(sale, "renew")
            try await shop.pass(days: 1)
        },
    ]
}
