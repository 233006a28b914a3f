extension Story {
    private static let nothing = holds(credits: 0)

    static let refunds: [Story] = [
        .appStore("a refund before anything is spent, reported by all", endsWith: nothing) { shop in
            let sale = try await shop.buy(.starter)
            try await shop.pass(days: 2)
            let refunded = try await shop.change(sale, "refund")
            try await shop.handIn(refunded, as: .look)
        },
        .appStore(
            "a refund after most of it is spent",
            endsWith: [
                "ann: 0 credits, 0 visits, owes 20 and 0", "ann ledger: 0 credits, debts 20",
                "ann pack starter: 0 left, owes 20, for ever",
            ]
        ) { shop in
            let sale = try await shop.buy(.starter)
            try await shop.pass(days: 1)
            await shop.book(credits: 20)
            try await shop.pass(days: 1)
            let refunded = try await shop.change(sale, "refund")
            try await shop.handIn(refunded, as: .look)
        },
        .appStore(
            "a refund that is reversed",
            endsWith: holds(credits: 25) + ["ann pack starter: 25 left, for ever"]
        ) { shop in
            let sale = try await shop.buy(.starter)
            try await shop.pass(days: 2)
            try await shop.change(sale, "refund")
            try await shop.pass(days: 2)
            let back = try await shop.change(sale, "refund-reverse")
            try await shop.handIn(back, as: .look)
        },
        .appStore(
            "a refund after spending that is reversed",
            endsWith: holds(credits: 5) + ["ann pack starter: 5 left, for ever"]
        ) { shop in
            let sale = try await shop.buy(.starter)
            try await shop.pass(days: 1)
            await shop.book(credits: 20)
            try await shop.change(sale, "refund")
            try await shop.pass(days: 2)
            try await shop.change(sale, "refund-reverse")
        },
        .appStore("a part refunded, then the whole", endsWith: nothing) { shop in
            let sale = try await shop.buy(.power)
            try await shop.pass(days: 2)
            try await shop.change(sale, "refund", ["percentage": 33])
            try await shop.pass(days: 2)
            try await shop.change(sale, "refund")
        },
        // RevenueCat does not report partial refunds.
        .appStore(
            "a part refunded",
            endsWith: holds(credits: 134) + ["ann pack power: 134 left, for ever"],
            except: [.revenueCat: holds(credits: 200) + ["ann pack power: 200 left, for ever"]]
        ) { shop in
            let sale = try await shop.buy(.power)
            try await shop.pass(days: 2)
            try await shop.change(sale, "refund", ["percentage": 33])
        },
        // RevenueCat reports the refund as the end of the period.
        .appStore(
            "a subscription's refund",
            endsWith: holds(visits: 0) + ["ann explorer: refunded, tier 0, until day 30, renews"],
            except: [.revenueCat: holds(visits: 0) + ["ann explorer: refunded, tier 0, until day 5, renews"]]
        ) { shop in
            let sale = try await shop.buy(.explorer)
            try await shop.pass(days: 5)
            let refunded = try await shop.change(sale, "refund")
            try await shop.handIn(refunded, as: .look)
        },
    ]
}
