import Foundation

extension Story {
    static let endings: [Story] = [
        .appStore(
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
            let ended = try await shop.step(sale, "expire")
            try await shop.handIn(ended, as: .look)
        },
        .appStore(
            "cancelled and taken back",
            endsWith: holds(visits: 4) + [
                "ann plan explorer: 4 left, until day 30", "ann explorer: active, tier 1, until day 30, renews",
            ]
        ) { shop in
            let sale = try await shop.buy(.explorer)
            try await shop.pass(days: 5)
            try await shop.step(sale, "cancel")
            try await shop.pass(days: 1)
            try await shop.step(sale, "uncancel")
        },
        .appStore(
            "a late EXPIRATION after the next period",
            endsWith: holds(visits: 4) + [
                "ann plan explorer: 4 left, until day 61", "ann explorer: active, tier 1, until day 61, renews",
            ]
        ) { shop in
            let sale = try await shop.buy(.explorer)
            try await shop.pass(days: 3)
            try await shop.step(sale, "cancel")
            try await shop.pass(days: 27.5)
            try await shop.step(sale, "expire")
            try await shop.pass(days: 0.5)
            let back = try await shop.buy(.explorer)
            try await shop.handIn(back, as: .look)
        },
        .appStore(
            "a late EXPIRATION of the instant at which the RENEWAL began",
            by: [.revenueCat, .appStoreAndRevenueCat],
            endsWith: holds(visits: 4) + [
                "ann plan explorer: 4 left, until day 60", "ann explorer: active, tier 1, until day 60, renews",
            ]
        ) { shop in
            let sale = try await shop.buy(.explorer)
            try await shop.renew(sale)
            try await shop.pass(days: 0.1)
            let now = Int(shop.readers.clock.now.timeIntervalSince1970 * 1_000)
            try await shop.revenueCat(after: "INITIAL_PURCHASE") { event in
                event["type"] = "EXPIRATION"
                event["id"] = "late-expiration"
                event["event_timestamp_ms"] = now
                event["expiration_reason"] = "UNSUBSCRIBE"
            }
        },
    ]
}
