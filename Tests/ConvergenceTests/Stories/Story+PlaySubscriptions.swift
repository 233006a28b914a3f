extension Story {
    private static let upgraded = [
        "ann plan enthusiast: 10 left, until day 40", "ann enthusiast: active, tier 2, until day 40, renews",
        "ann explorer: expired, tier 0, until day 10, renews",
    ]

    static let playSubscriptions: [Story] = [
        .googlePlay(
            "renewals with rollover",
            endsWith: holds(visits: 15) + [
                "ann plan enthusiast: 10 left, until day 90", "ann plan enthusiast: 5 left, until day 90",
                "ann enthusiast: active, tier 2, until day 90, renews",
            ]
        ) { shop in
            let sale = try await shop.buy(.enthusiast)
            try await shop.pass(days: 30)
            try await shop.step(sale, "renew")
            try await shop.pass(days: 30)
            try await shop.step(sale, "renew")
            try await shop.pass(days: 1)
            try await shop.handIn(sale, as: .look)
        },
        .googlePlay(
            "a yearly commitment that is paid in installments",
            by: [.googlePlay, .googlePlayAndRevenueCat, .everybody],
            endsWith: holds(visits: 16) + [
                "ann plan year: 11 left, until day 90", "ann plan year: 5 left, until day 90",
                "ann year: active, tier 2, until day 90, renews",
            ]
        ) { shop in
            let sale = try await shop.buy(.year, for: .ann, ["billing_plan": "monthly"])
            try await shop.pass(days: 30)
            try await shop.step(sale, "renew")
            try await shop.pass(days: 30)
            try await shop.step(sale, "renew")
            try await shop.pass(days: 1)
            try await shop.step(sale, "cancel")
            try await shop.handIn(sale, as: .look)
        },
        .googlePlay(
            "a failed renewal with grace, then recovery",
            endsWith: holds(visits: 15) + [
                "ann plan enthusiast: 10 left, until day 60", "ann plan enthusiast: 5 left, until day 60",
                "ann enthusiast: active, tier 2, until day 60, renews",
            ]
        ) { shop in
            let sale = try await shop.buy(.enthusiast)
            try await shop.pass(days: 30.01)
            try await shop.step(sale, "billing-issue", ["grace_days": 6])
            try await shop.pass(days: 3)
            try await shop.step(sale, "recover")
            try await shop.pass(days: 1)
            try await shop.handIn(sale, as: .look)
        },
        .googlePlay(
            "on hold, then recovery",
            endsWith: holds(visits: 15) + [
                "ann plan enthusiast: 10 left, until day 65", "ann plan enthusiast: 5 left, until day 65",
                "ann enthusiast: active, tier 2, until day 65, renews",
            ]
        ) { shop in
            let sale = try await shop.buy(.enthusiast)
            try await shop.pass(days: 30.01)
            try await shop.step(sale, "billing-issue")
            try await shop.pass(days: 5)
            try await shop.step(sale, "recover")
            try await shop.pass(days: 1)
            try await shop.handIn(sale, as: .look)
        },
        // Google Play does not report that renewal is off; RevenueCat does.
        .googlePlay(
            "a failed renewal that expires",
            endsWith: holds(visits: 0) + ["ann explorer: expired, tier 0, until day 30, ends"],
            except: [.googlePlay: holds(visits: 0) + ["ann explorer: expired, tier 0, until day 30, renews"]]
        ) { shop in
            let sale = try await shop.buy(.explorer)
            try await shop.pass(days: 30.01)
            try await shop.step(sale, "billing-issue")
            try await shop.pass(days: 30)
            try await shop.step(sale, "expire")
            try await shop.handIn(sale, as: .look)
        },
        .googlePlay(
            "cancelled, taken back, cancelled, then over",
            endsWith: holds(visits: 0) + ["ann explorer: expired, tier 0, until day 30, ends"]
        ) { shop in
            let sale = try await shop.buy(.explorer)
            try await shop.pass(days: 5)
            try await shop.step(sale, "cancel")
            try await shop.pass(days: 1)
            try await shop.step(sale, "uncancel")
            try await shop.pass(days: 1)
            try await shop.step(sale, "cancel")
            try await shop.pass(days: 24)
            try await shop.step(sale, "expire")
            try await shop.handIn(sale, as: .look)
        },
        .googlePlay(
            "an upgrade to a linked token",
            endsWith: holds(visits: 10) + upgraded + ["ann enthusiast: to be acknowledged"],
            except: [.revenueCat: holds(visits: 10) + upgraded]
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
        // Google Play reports only that the period ended; RevenueCat also reports when.
        .googlePlay(
            "a voided period",
            endsWith: holds(visits: 0) + ["ann explorer: refunded, tier 0, until day 5, renews"]
        ) { shop in
            let sale = try await shop.buy(.explorer)
            try await shop.pass(days: 5)
            try await shop.change(sale, "refund")
            try await shop.handIn(sale, as: .look)
        },
    ]
}
