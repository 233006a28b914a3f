import HTTPTypes
import Hummingbird
import Stores

/// Limits how many requests come from one address; probes of the machinery around the service are not counted.
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
