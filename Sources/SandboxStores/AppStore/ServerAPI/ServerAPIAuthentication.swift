import Hummingbird
import NIOCore

/// Authorizes calls of the App Store Server API with the configured key.
struct ServerAPIAuthentication: RouterMiddleware {
    let isAuthorized: @Sendable (String?) async -> Bool

    func handle(
        _ request: Request,
        context: SandboxContext,
        next: (Request, SandboxContext) async throws -> Response
    ) async throws -> Response {
        guard await self.isAuthorized(request.headers[.authorization]) else {
            return Response(
                status: .unauthorized,
                headers: [.contentType: "text/plain"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "Unauthenticated\n"))
            )
        }
        return try await next(request, context)
    }
}
