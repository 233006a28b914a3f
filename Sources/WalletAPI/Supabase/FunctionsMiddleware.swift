import Hummingbird

/// Converts every refusal under `/functions/v1` to the format of Supabase clients, even if no route matches.
///
/// This middleware runs outside ``ProblemMiddleware``, so every failure that it sees is a ``Problem``.
struct FunctionsMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        guard FunctionsPath.covers(request) else { return try await next(request, context) }
        do {
            return try await next(request, context)
        } catch var problem as Problem {
            problem.form = .envelope
            if problem.slug == "route-not-found", let advice = FunctionsPath.advice(for: request) {
                problem.detail = advice
            }
            throw problem
        }
    }
}
