import HTTPTypes
import Hummingbird
import WalletAPI

/// Restricts the demo's routes to the demo page and to programs other than browsers.
///
/// The session contains an operator token, which pages of other local servers must not read.
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
