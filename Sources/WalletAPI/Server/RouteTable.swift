import HTTPTypes
import Hummingbird

/// Maps each path to its methods, so that a wrong method can be distinguished from a wrong path.
struct RouteTable: Sendable {
    private enum Segment: Sendable {
        case literal(Substring)
        case any
    }

    private let routes: [(segments: [Segment], method: HTTPRequest.Method)]

    /// Copies the routes that are registered at this point.
    init(_ router: Router<AppRequestContext>) {
        self.routes = router.routes.map { route in
            (Self.segments(route.path.description), route.method)
        }
    }

    /// Returns the methods of a path, or none if no route has the path.
    ///
    /// A path with `GET` also has `HEAD`.
    func methods(of path: String) -> [HTTPRequest.Method] {
        let parts = path.split(separator: "/")
        let methods = self.routes.filter { Self.matches($0.segments, parts) }.map(\.method)
        return methods.contains(.get) && !methods.contains(.head) ? methods + [.head] : methods
    }

    private static func segments(_ path: String) -> [Segment] {
        path.split(separator: "/").map { part in
            part.hasPrefix(":") || part.hasPrefix("{") ? .any : .literal(part)
        }
    }

    private static func matches(_ segments: [Segment], _ parts: [Substring]) -> Bool {
        segments.count == parts.count
            && zip(segments, parts).allSatisfy { segment, part in
                switch segment {
                case .literal(let text): text == part
                case .any: true
                }
            }
    }
}

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
