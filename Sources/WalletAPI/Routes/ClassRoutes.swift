import Hummingbird
import Wallet

/// Returns the classes and their free seats; no token is required.
///
/// - `GET /classes` (public)
/// - `GET /classes/{id}` (public)
struct ClassRoutes {
    let wallet: Wallet

    func add(to group: some RouterMethods<AppRequestContext>) {
        group.get("classes", use: self.list)
        group.get("classes/:id", use: self.one)
    }

    @Sendable
    private func list(
        _ request: Request,
        _ context: AppRequestContext
    ) async throws -> JSONAnswer<PagedAnswer<ClassSession>> {
        let page = try await self.wallet.classes(in: request.walletEnvironment(), page: request.page())
        return JSONAnswer(PagedAnswer("classes", page))
    }

    @Sendable
    private func one(_ request: Request, _ context: AppRequestContext) async throws -> JSONAnswer<ClassSession> {
        let environment = try request.walletEnvironment()
        return JSONAnswer(try await self.wallet.classSession(context.parameters.knownClassID(), in: environment))
    }
}
