import Hummingbird
import Wallet

/// Returns the packs, passes and plans on sale; no token is required.
///
/// - `GET /packs` (public)
/// - `GET /plans` (public)
struct CatalogueRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<AppRequestContext>) {
        group.get("packs", use: self.packs)
        group.get("plans", use: self.plans)
    }

    @Sendable
    private func packs(_ request: Request, _ context: AppRequestContext) async throws -> JSONAnswer<[String: [Pack]]> {
        JSONAnswer(["packs": try await self.wallet.packs()])
    }

    @Sendable
    private func plans(_ request: Request, _ context: AppRequestContext) async throws -> JSONAnswer<[String: [Plan]]> {
        JSONAnswer(["plans": try await self.wallet.plans()])
    }
}
