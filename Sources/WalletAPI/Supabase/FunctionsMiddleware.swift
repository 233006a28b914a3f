import HTTPTypes
import Hummingbird

/// Gives every answer under `/functions/v1` the form that Supabase's clients read, also those of no route: preflights
/// are answered, refusals come in the envelope, and browsers are told who may read.
///
/// It stands outside ``ProblemMiddleware``, which has named every failure by then.
struct FunctionsMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    let policy: CrossOriginPolicy

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        guard FunctionsPath.covers(request) else { return try await next(request, context) }
        if request.method == .options, request.hasPlainPath { return self.policy.preflight(for: request) }
        do {
            var response = try await next(request, context)
            self.add(self.policy.headers(for: request), to: &response.headers)
            return response
        } catch var problem as Problem {
            problem.form = .envelope
            if problem.slug == "route-not-found", let advice = FunctionsPath.advice(for: request) {
                problem.detail = advice
            }
            self.add(self.policy.headers(for: request), to: &problem.headers)
            throw problem
        }
    }

    private func add(_ fields: HTTPFields, to headers: inout HTTPFields) {
        for field in fields { headers[field.name] = field.value }
    }
}
