import HTTPTypes
import Hummingbird
import JSON
import Logging
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
        if let access = try Self.access(request) { try await self.wallet.record(access, by: context.actor) }
        return response
    }

    /// The access of a successful request; nil if it concerns no user or the database records it.
    private static func access(_ request: Request) throws -> OperatorAccess? {
        guard request.method == .get else { return nil }
        let user = try request.query("user_id").map(UserID.init(rawValue:))
        let environment = try request.walletEnvironmentIfSent()
        if try request.query("format") == "csv" {
            let filters = Set(request.uri.queryParameters.map { String($0.key) })
                .subtracting(["format", "limit", "cursor"]).sorted()
            let details: [String: JSONValue] = ["filters": .array(filters.map { .text($0) })]
            return OperatorAccess(.export, Self.route(of: request), of: user, in: environment, details: details)
        }
        return user.map { OperatorAccess(.readUser, Self.route(of: request), of: $0, in: environment) }
    }

    /// Logs and records a refused change or a request that lacks the required right.
    private func note(_ error: any Error, of request: Request, _ context: OperatorRequestContext) async {
        guard let problem = Problem(error), (400..<500).contains(problem.status.code) else { return }
        let isTrial = (try? request.isDryRun()) ?? false
        guard problem.status == .forbidden || (request.method != .get && !isTrial) else { return }
        context.logger.info(
            "a request of an operator was refused",
            metadata: [
                "operator": "\(context.actor.id.rawValue)", "problem": "\(problem.slug)",
                "status": "\(problem.status.code)",
            ]
        )
        let access = OperatorAccess(.refused, Self.route(of: request), details: ["problem": .text(problem.slug)])
        do {
            try await self.wallet.record(access, by: context.actor)
        } catch {
            context.logger.error(
                "a refused request of an operator could not be recorded",
                metadata: ["error": "\(error)"]
            )
        }
    }

    private static func route(of request: Request) -> String {
        let path = request.uri.path
        return path.hasPrefix("/operator/") ? String(path.dropFirst("/operator/".count)) : path
    }
}
