import HTTPTypes
import Hummingbird

/// Tells browsers and caches in every answer to make nothing of it but what it is.
///
/// What a route says of itself stands. An answer to somebody who proved who they are is kept nowhere unless its route
/// says how.
struct SecurityHeadersMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            var response = try await next(request, context)
            Self.add(to: &response.headers)
            if response.headers[.cacheControl] == nil, request.headers[.authorization] != nil {
                response.headers[.cacheControl] = "no-store"
            }
            return response
        } catch var problem as Problem {
            Self.add(to: &problem.headers)
            throw problem
        }
    }

    /// Adds what is not there.
    static func add(to headers: inout HTTPFields) {
        for field in Self.fields where headers[field.name] == nil { headers.append(field) }
    }

    /// No guessing of types, no telling of addresses, and nothing loaded or framed where an answer is shown as a page.
    private static let fields: HTTPFields = [
        .xContentTypeOptions: "nosniff",
        .referrerPolicy: "no-referrer",
        .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
    ]
}
