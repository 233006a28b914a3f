import Hummingbird

/// Applies pending faults to the calls of one store endpoint.
struct FaultMiddleware: RouterMiddleware {
    let faults: FaultQueue
    let target: FaultTarget
    var side: SandboxTransaction.Environment?

    func handle(
        _ request: Request,
        context: SandboxContext,
        next: (Request, SandboxContext) async throws -> Response
    ) async throws -> Response {
        if let fault = self.faults.next(for: self.target, side: self.side),
            let response = try await fault.apply(in: context)
        {
            return response
        }
        return try await next(request, context)
    }
}
