import Hummingbird

/// Gives every refusal under `/functions/v1` the form that Supabase's clients read, also those of no route.
///
/// It stands outside ``ProblemMiddleware``, which has named every failure by then.
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
