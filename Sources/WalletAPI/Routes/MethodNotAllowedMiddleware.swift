import Hummingbird

/// Answers 405 where a path exists but not with this method; the router itself knows only 404.
///
/// It is added after all routes and therefore runs only for requests that no route took.
struct MethodNotAllowedMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    let routes: RouteTable

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        let methods = self.routes.methods(of: request.uri.path)
        guard methods.isEmpty else { throw Problem.methodNotAllowed(methods) }
        return try await next(request, context)
    }
}
