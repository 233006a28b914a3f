import HTTPTypes
import Hummingbird
import Wallet

/// Records in the audit log which user data operators read, which lists they export, and which changes are refused.
///
/// The database records an operator's changes itself, in the transaction of the change.
struct OperatorAuditMiddleware: RouterMiddleware {
    typealias Context = OperatorRequestContext

    let wallet: Wallet

    func handle(
        _ request: Request,
        context: OperatorRequestContext,
        next: (Request, OperatorRequestContext) async throws -> Response
    ) async throws -> Response {
        let response: Response
        do {
            response = try await next(request, context)
        } catch {
            await self.note(error, of: request, context)
            throw error
        }
        // If the access cannot be recorded, the response is withheld.
        if let access = try Self.access(request, context) { try await self.wallet.record(access, by: context.actor) }
        return response
    }

    /// The access of a successful request; nil if it concerns no user or the database records it.
    private static func access(_ request: Request, _ context: OperatorRequestContext) throws -> OperatorAccess? {
        guard request.method == .get else { return nil }
        let isOfUser = request.uri.path.hasPrefix("/operator/users/")
        let user = try (isOfUser ? context.parameters.decoded("id") : request.query("user_id"))
            .map(UserID.init(rawValue:))
        let environment = try request.walletEnvironmentIfSent()
        let names = Set(request.uri.queryParameters.map { String($0.key) }).subtracting(["format", "limit", "cursor"])
        let isExport = try request.query("format") == "csv"
        return OperatorAccess(
            reading: Self.route(of: request),
            of: user,
            in: environment,
            exporting: isExport ? names : nil
        )
    }

    /// Logs and records a refused change or a request that lacks the required right.
    private func note(_ error: any Error, of request: Request, _ context: OperatorRequestContext) async {
        guard let problem = Problem(error) else { return }
        let isTrial = (try? request.isDryRun()) ?? false
        await self.wallet.recordRefusal(
            problem.slug,
            status: problem.status.code,
            of: Self.route(of: request),
            isChange: request.method != .get && !isTrial,
            by: context.actor,
            logger: context.logger
        )
    }

    /// Returns the path below `/operator/` without a user's id, which the record has in a column of its own.
    private static func route(of request: Request) -> String {
        let path = request.uri.path
        guard path.hasPrefix("/operator/") else { return path }
        var parts = path.dropFirst("/operator/".count).split(separator: "/")
        if parts.first == "users", parts.count > 1 { parts.remove(at: 1) }
        return parts.joined(separator: "/")
    }
}
