import SandboxStores
import Wallet

extension Wallet {
    /// Returns the products of the sandbox stores: all catalogue products that have a store id of the App Store or
    /// Google Play.
    func sandboxProducts() async throws -> [SandboxProduct] {
        let packs = try await self.packs().compactMap { pack in
            SandboxProduct(
                pack.storeIDs,
                alias: pack.productID,
                kind: pack.kind == "pass" ? .nonRenewing : .consumable
            )
        }
        let plans = try await self.plans().compactMap { plan in
            SandboxProduct(
                plan.storeIDs,
                alias: plan.productID,
                kind: .subscription,
                periodSeconds: Self.seconds(of: plan.period)
            )
        }
        return packs + plans
    }

    /// Returns the length of a period such as `P1M` in seconds; in the sandbox stores, a month has 30 days and a year
    /// 365.
    static func seconds(of period: String) -> Int {
        let days: [Character: Int] = ["D": 1, "W": 7, "M": 30, "Y": 365]
        let count = Int(period.dropFirst().dropLast()) ?? 1
        return count * (period.last.flatMap { days[$0] } ?? 30) * 86_400
    }
}

extension SandboxProduct {
    fileprivate init?(_ ids: StoreIDs, alias: String, kind: Kind, periodSeconds: Int = 30 * 86_400) {
        guard let id = ids.appStore ?? ids.playStore else { return nil }
        self.init(
            storeProductID: id,
            playStoreProductID: ids.playStore,
            alias: alias,
            kind: kind,
            periodSeconds: periodSeconds
        )
    }
}
