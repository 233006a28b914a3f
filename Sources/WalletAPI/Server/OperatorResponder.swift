public import Hummingbird
public import Wallet

/// Answers requests to the operators' routes for an operator whom this process knows already, as the console does.
public struct OperatorResponder: Sendable {
    let responder: any HTTPResponder<AppRequestContext>

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: A request to a route of operators; it needs no token.
    ///   - identity: Who asks, and what this operator may do.
    ///   - context: The context of the request that this one belongs to.
    /// - Returns: The answer, a problem document included.
    /// - Throws: What is no problem of the API.
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
