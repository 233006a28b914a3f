package import Hummingbird
package import StoreSync
package import Wallet

/// A second form of the API under a path prefix of its own, for apps that were written for another server.
///
/// Web pages may call it: every `OPTIONS` request is a preflight, and every response names the origins that may read it.
package protocol APIDialect: Sendable {
    /// The segments that begin every path.
    var prefix: [String] { get }

    /// Adds the routes that need no token.
    func addPublic(to group: RouterGroup<AppRequestContext>, of wallet: Wallet)

    /// Adds the routes of signed-in users.
    ///
    /// - Parameters:
    ///   - users: The group that requires a token and an existing account.
    ///   - wallet: The wallet.
    ///   - intake: The intake of purchases.
    ///   - limiter: The limit on receipts, which these routes share with `POST /receipts`.
    func add(
        to users: RouterGroup<UserRequestContext>,
        of wallet: Wallet,
        intake: PurchaseIntake,
        limiter: UserRateLimiter
    )

    /// Returns a refusal in the dialect's format.
    func translated(_ problem: Problem, of request: Request) -> Problem
}

extension APIDialect {
    /// The prefix of the dialect's routes.
    var path: RouterPath { RouterPath(self.prefix.joined(separator: "/")) }

    /// Returns whether a request's path belongs to the dialect, even if no route matches.
    func covers(_ request: Request) -> Bool {
        let parts = request.uri.path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: self.prefix.count)
        return parts.count >= self.prefix.count && zip(parts, self.prefix).allSatisfy { $0.elementsEqual($1.utf8) }
    }
}

/// Translates every refusal under a dialect's prefix, even if no route matches.
///
/// This middleware runs outside ``ProblemMiddleware``, so every failure that it sees is a ``Problem``.
struct DialectMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    let dialect: any APIDialect

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        guard self.dialect.covers(request) else { return try await next(request, context) }
        do {
            return try await next(request, context)
        } catch let problem as Problem {
            throw self.dialect.translated(problem, of: request)
        }
    }
}
