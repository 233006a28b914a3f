import Stores

extension Story {
    static let purchases: [Story] = [
        .appStore(
            "a first purchase",
            endsWith: holds(credits: 25) + ["ann pack starter: 25 left, for ever"]
        ) { shop in
            let sale = try await shop.buy(.starter)
            try await shop.pass(days: 1)
            try await shop.handIn(sale, as: .look)
        },
        .appStore(
            "quantity 3, the webhook first",
            endsWith: holds(credits: 75) + ["ann pack starter: 75 left, for ever"]
        ) { shop in
            _ = try await shop.buy(.starter, for: .ann, ["quantity": 3])
            try await shop.pass(days: 1)
        },
        .appStore("family share", endsWith: []) { shop in
            let sale = try await shop.buy(.explorer, for: .ann, ["ownership": "family_shared"])
            try await shop.pass(days: 1)
            try await shop.handIn(sale, as: .look)
        },
        .appStore(
            "restored transaction ids",
            endsWith: holds(visits: 8) + [
                "ann plan explorer: 4 left, until day 30", "ann plan explorer: 4 left, until day 60",
                "ann explorer: active, tier 1, until day 60, renews",
            ]
        ) { shop in
            let sale = try await shop.buy(.explorer)
            var restored = try await shop.readers.facts(of: sale)
            for index in restored.indices { restored[index].transactionID = "restored-\(index)" }
            await shop.handIn(restored)
            try await shop.pass(days: 29.5)
            let renewed = try await shop.step(sale, "renew")
            var again = try await shop.readers.facts(of: renewed)
            for index in again.indices { again[index].transactionID += "-again" }
            await shop.handIn(again)
        },
    ]
}
