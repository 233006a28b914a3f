import Hummingbird
import Wallet

/// The context of an operator route; it always has an actor.
struct OperatorRequestContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    let requestID: String
    let actor: OperatorIdentity

    init(context: AppRequestContext) throws {
        guard let actor = context.actor else { throw Problem.unauthenticated(BearerCredentials.missing) }
        self.coreContext = context.coreContext
        self.requestID = context.requestID
        self.actor = actor
    }
}
