import HTTPTypes
import Hummingbird

/// Lets the web pages of configured origins call the user routes: it answers preflights, and says in every answer,
/// refusals too, which origin may read it.
///
/// Operator routes, webhooks and what else no app calls have none of this. It stands outside ``ProblemMiddleware``, which
/// has named every failure by then.
struct CrossOriginMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    private let policy: CrossOriginPolicy
    /// The first segments of the paths that apps call.
    private let prefixes: Set<Substring>

    /// Makes the middleware.
    ///
    /// - Parameters:
    ///   - policy: Which pages may read.
    ///   - routes: The routes that apps call. A path under the first segment of one of them counts as theirs, so that a
    ///     page can read the answer to a path that is not there, too.
    init(policy: CrossOriginPolicy, routes: Router<AppRequestContext>) {
        self.policy = policy
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

    /// Whether a browser asks for a page; a client of Supabase takes every `OPTIONS` for that.
    ///
    /// Where no origin may read, no other path has a preflight, and `OPTIONS` is a method like another that is not
    /// allowed.
    private func isPreflight(_ request: Request) -> Bool {
        if FunctionsPath.covers(request) { return true }
        return !self.policy.origins.isEmpty && request.headers[.origin] != nil
            && request.headers[.accessControlRequestMethod] != nil
    }

    private func addFields(for request: Request, to headers: inout HTTPFields) {
        // Without configured origins a page reads nothing, with or without fields that say so.
        guard !self.policy.origins.isEmpty || FunctionsPath.covers(request) else { return }
        for field in self.policy.headers(for: request) {
            let own = field.name == .vary ? headers[.vary].map { "\($0), " } : nil
            headers[field.name] = (own ?? "") + field.value
        }
    }
}
