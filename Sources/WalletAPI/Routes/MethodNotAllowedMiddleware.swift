import Hummingbird

/// Answers 405 if the path exists with another method; the router itself only answers 404.
///
/// This middleware is added after all routes, so it runs only for requests that match no route.
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
