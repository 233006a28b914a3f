import Hummingbird
import Wallet

/// The context of a user route: there is a user, or the route is not reached.
struct UserRequestContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    let requestID: String
    let user: UserID

    init(context: AppRequestContext) throws {
        guard let user = context.user else { throw Problem.unauthenticated(BearerCredentials.missing) }
        self.coreContext = context.coreContext
        self.requestID = context.requestID
        self.user = user
    }
}
