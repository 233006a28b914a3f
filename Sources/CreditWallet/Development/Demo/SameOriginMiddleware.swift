import HTTPTypes
import Hummingbird
import WalletAPI

/// Lets only the demo page itself, or a program without a browser, ask for what the demo page asks for: its session
/// holds an operator's token, which no page of another local server may read.
struct SameOriginMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        let own = request.head.authority.map { "http://\($0)" }
        let origins = request.headers[values: .origin]
        let sites = request.headers[values: Self.site]
        guard origins.allSatisfy({ $0 == own }), sites.allSatisfy({ ["same-origin", "none"].contains($0) }) else {
            throw HTTPError(.forbidden, message: "Only the demo page may ask for this.")
        }
        var response = try await next(request, context)
        response.headers[values: .accessControlAllowOrigin] = []
        return response
    }

    private static let site = HTTPField.Name("Sec-Fetch-Site") ?? .origin
}
