import SandboxStores
import Wallet

extension Wallet {
    /// What the sandbox stores sell: everything of the catalogue that has a name in the App Store.
    func sandboxProducts() async throws -> [SandboxProduct] {
        let packs = try await self.packs().compactMap { pack in
            pack.storeIDs.appStore.map { storeID in
                SandboxProduct(
                    storeProductID: storeID,
                    alias: pack.productID,
                    kind: pack.kind == "pass" ? .nonRenewing : .consumable
                )
            }
        }
        let plans = try await self.plans().compactMap { plan in
            plan.storeIDs.appStore.map { storeID in
                SandboxProduct(storeProductID: storeID, alias: plan.productID, kind: .subscription)
            }
        }
        return packs + plans
    }
}
