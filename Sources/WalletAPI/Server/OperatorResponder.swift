public import Hummingbird
public import Wallet

/// Answers requests to operator routes for an already authenticated operator, as the console does.
public struct OperatorResponder: Sendable {
    let responder: any HTTPResponder<AppRequestContext>

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: A request to an operator route; it needs no token.
    ///   - identity: The operator and the operator's right.
    ///   - context: The context of the request that this one belongs to.
    /// - Returns: The response, which may be a problem document.
    /// - Throws: An error that is not a problem of the API.
    public func respond(
        to request: Request,
        as identity: OperatorIdentity,
        in context: AppRequestContext
    ) async throws -> Response {
        var context = context
        context.actor = identity
        do {
            return try await self.responder.respond(to: request, context: context)
        } catch let problem as Problem {
            return try problem.response(from: request, context: context)
        }
    }
}
