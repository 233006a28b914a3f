import Foundation
import Hummingbird
import Logging

/// Converts refusals of the controls to problem documents, the same format as the wallet's.
///
/// The store endpoints answer like the real stores.
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

    /// Returns the id under which the framework logs the request; the context's own `id` is a path parameter.
    private static func id(of context: SandboxContext) -> String? {
        context.logger[metadataKey: "hb.request.id"]?.description
    }
}
