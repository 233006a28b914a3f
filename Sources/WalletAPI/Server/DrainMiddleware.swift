import HTTPTypes
import Hummingbird

/// Asks clients to close their connections once the service is stopping.
struct DrainMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    let drain: DrainGate

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            var response = try await next(request, context)
            if self.drain.isDraining { response.headers[.connection] = "close" }
            return response
        } catch var problem as Problem {
            if self.drain.isDraining { problem.headers[.connection] = "close" }
            throw problem
        }
    }
}
