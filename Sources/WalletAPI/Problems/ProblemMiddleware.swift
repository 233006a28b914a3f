import Hummingbird
import Logging
import Wallet

/// Converts every error thrown below it into a ``Problem``, so that no response is empty or reveals internal data.
///
/// An unexpected error is logged with its type, and the response contains only the request id.
struct ProblemMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    let metrics: RefusalMetrics

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            var problem = self.problem(for: error, context: context)
            problem.requestID = context.requestID
            self.metrics.note(problem.slug)
            throw problem
        }
    }

    private func problem(for error: any Error, context: AppRequestContext) -> Problem {
        if let problem = Problem(error), problem.status.code != 500 { return problem }
        // Log the type and the description, which the project's own errors keep free of user data; never the request.
        context.logger.error(
            "A request failed",
            metadata: ["error": "\(error)", "error_type": "\(type(of: error))"]
        )
        return .internalError
    }
}
