import Hummingbird
import Logging

/// Turns whatever is thrown below it into a ``Problem``, so that no response is empty and none reveals too much.
///
/// Errors that nobody foresaw are logged by their type and answered with the request id alone.
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
            self.metrics.note(problem)
            throw problem
        }
    }

    private func problem(for error: any Error, context: AppRequestContext) -> Problem {
        if let problem = Problem(error), problem.status.code != 500 { return problem }
        // The type and a description that our own errors keep free of user data; never the request.
        context.logger.error(
            "A request failed",
            metadata: ["error": "\(error)", "error_type": "\(type(of: error))"]
        )
        return .internalError
    }
}
