import HTTPTypes
import Hummingbird

/// Adds CORS support for the user routes: it answers preflights, and adds to every response and refusal the origin that
/// may read it.
///
/// Operator routes, webhooks and other routes that apps do not call have no CORS support. This middleware runs outside
/// ``ProblemMiddleware``, so every failure that it sees is a ``Problem``.
struct CrossOriginMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    private let policy: CrossOriginPolicy
    /// The first path segments of the routes that apps call.
    private let prefixes: Set<Substring>
    private let dialects: [any APIDialect]

    /// Creates the middleware.
    ///
    /// - Parameters:
    ///   - policy: The policy that decides which web pages may read responses.
    ///   - routes: The routes that apps call. Every path that begins with the first segment of one of them is covered,
    ///     so that a page can also read the 404 response for an unknown path.
    ///   - dialects: The dialects among these routes.
    init(policy: CrossOriginPolicy, routes: Router<AppRequestContext>, dialects: [any APIDialect]) {
        self.policy = policy
        self.dialects = dialects
        self.prefixes = Set(routes.routes.compactMap { $0.path.description.split(separator: "/").first })
    }

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        guard self.covers(request) else { return try await next(request, context) }
        if request.method == .options, request.hasPlainPath, self.isPreflight(request) {
            return self.policy.preflight(for: request)
        }
        do {
            var response = try await next(request, context)
            self.addFields(for: request, to: &response.headers)
            return response
        } catch var problem as Problem {
            self.addFields(for: request, to: &problem.headers)
            throw problem
        }
    }

    private func covers(_ request: Request) -> Bool {
        let parts = request.uri.path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 1)
        return parts.first.map { self.prefixes.contains(Substring($0)) } ?? false
    }

    /// Returns whether a request is a preflight.
    ///
    /// In a dialect, every `OPTIONS` request is one.
    ///
    /// If no origins are configured, the other paths have no preflights, and `OPTIONS` is answered as a method that is
    /// not allowed.
    private func isPreflight(_ request: Request) -> Bool {
        if self.isOfDialect(request) { return true }
        return !self.policy.origins.isEmpty && request.headers[.origin] != nil
            && request.headers[.accessControlRequestMethod] != nil
    }

    private func isOfDialect(_ request: Request) -> Bool {
        self.dialects.contains { $0.covers(request) }
    }

    private func addFields(for request: Request, to headers: inout HTTPFields) {
        // Without configured origins, no page can read the response, so the fields have no use.
        guard !self.policy.origins.isEmpty || self.isOfDialect(request) else { return }
        for field in self.policy.headers(for: request) {
            let own = field.name == .vary ? headers[.vary].map { "\($0), " } : nil
            headers[field.name] = (own ?? "") + field.value
        }
    }
}

/// Decides which web pages may read the responses of the user routes.
///
/// By default no page may read them; configured origins may, and `*` allows all. Browsers send no credentials
/// automatically, because there is no cookie and a page must send its bearer token itself. So the policy never allows
/// credentials.
struct CrossOriginPolicy: Sendable {
    /// The origins whose pages may read responses: empty for none, `*` for all.
    let origins: [String]

    /// Returns the fields of every response, including refusals.
    func headers(for request: Request) -> HTTPFields {
        var headers: HTTPFields = [.accessControlExposeHeaders: Self.exposed]
        guard !self.origins.contains(Self.all) else {
            headers[.accessControlAllowOrigin] = Self.all
            return headers
        }
        headers[.vary] = "Origin"
        if let origin = request.headers[.origin], self.origins.contains(origin) {
            headers[.accessControlAllowOrigin] = origin
        }
        return headers
    }

    /// Returns the response to a preflight.
    func preflight(for request: Request) -> Response {
        var headers = self.headers(for: request)
        headers[.accessControlAllowHeaders] = Self.accepted
        headers[.accessControlAllowMethods] = "GET, POST, PUT, PATCH, DELETE, OPTIONS"
        headers[.accessControlMaxAge] = "86400"
        headers[.contentType] = "text/plain; charset=utf-8"
        headers[.contentLength] = "2"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: "ok")))
    }

    private static let all = "*"
    private static let accepted =
        "authorization, x-client-info, apikey, content-type, idempotency-key, x-region, wallet-environment, x-request-id, "
        + "if-none-match, last-event-id, traceparent, wallet-position"
    private static let exposed =
        "x-request-id, retry-after, ratelimit, ratelimit-policy, idempotent-replayed, etag, location, link, "
        + "www-authenticate, wallet-position"
}
