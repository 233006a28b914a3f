import Foundation
import Hummingbird
import Logging

/// Answers what a control refuses as a problem document, as the wallet answers its own refusals.
///
/// The stores' own addresses answer as the real stores do.
struct SandboxErrorMiddleware: RouterMiddleware {
    let isControl: @Sendable (_ path: String) -> Bool

    func handle(
        _ request: Request,
        context: SandboxContext,
        next: (Request, SandboxContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let refusal as ControlRefusal {
            return try refusal.response(requestID: Self.id(of: context))
        } catch let error as HTTPError where self.isControl(request.uri.path) {
            return try ControlRefusal(error, path: request.uri.path)
                .response(requestID: Self.id(of: context))
        }
    }

    /// The id under which the framework logs the request; a control's own `id` is what its path names.
    private static func id(of context: SandboxContext) -> String? {
        context.logger[metadataKey: "hb.request.id"]?.description
    }
}
