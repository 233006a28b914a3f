import HTTPTypes
import Hummingbird
import Stores

/// Limits the number of requests from one address; health and readiness probes are not counted.
struct AddressLimitMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    private static let uncounted: Set<String> = ["/health", "/ready"]

    let limiter: RequestLimiter<InternetAddress?>
    let proxies: TrustedProxies

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        if Self.uncounted.contains(request.uri.path) { return try await next(request, context) }
        let client = self.proxies.client(of: request, context)
        return try await self.limiter.limit(client) { try await next(request, context) }
    }
}
