extension Story {
    static let playPurchases: [Story] = [
        .googlePlay(
            "a first purchase",
            endsWith: holds(credits: 25) + ["ann pack starter: 25 left, for ever"]
        ) { shop in
            let sale = try await shop.buy(.starter)
            try await shop.pass(days: 1)
            try await shop.handIn(sale, as: .look)
        },
        .googlePlay(
            "quantity 3, the webhook first",
            endsWith: holds(credits: 75) + ["ann pack starter: 75 left, for ever"]
        ) { shop in
            _ = try await shop.buy(.starter, for: .ann, ["quantity": 3])
            try await shop.pass(days: 1)
        },
        .googlePlay(
            "a pending purchase that is paid",
            endsWith: holds(credits: 25) + [
                "ann pack starter: 25 left, for ever", "ann starter: to be acknowledged",
            ],
            except: [.revenueCat: holds(credits: 25) + ["ann pack starter: 25 left, for ever"]]
        ) { shop in
            let sale = try await shop.buy(.starter, for: .ann, ["pending": true])
            try await shop.pass(days: 1)
            let paid = try await shop.change(sale, "complete")
            try await shop.handIn(paid, as: .look)
        },
        .googlePlay("a voided purchase", endsWith: holds(credits: 0)) { shop in
            let sale = try await shop.buy(.starter)
            try await shop.pass(days: 1)
            let voided = try await shop.change(sale, "refund")
            try await shop.handIn(voided, as: .look)
        },
        .googlePlay(
            "a voided purchase after spending",
            endsWith: [
                "ann: 0 credits, 0 visits, owes 20 and 0", "ann ledger: 0 credits, debts 20",
                "ann pack starter: 0 left, owes 20, for ever",
            ]
        ) { shop in
            let sale = try await shop.buy(.starter)
            try await shop.pass(days: 1)
            await shop.book(credits: 20)
            let voided = try await shop.change(sale, "refund")
            try await shop.handIn(voided, as: .look)
        },
    ]
}
