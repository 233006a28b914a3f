package import Foundation
public import Hummingbird
import Logging
import NIOCore
package import Wallet

/// Carries the state of a request from the middlewares to the routes.
public struct AppRequestContext: RequestContext {
    /// The storage that Hummingbird requires.
    public var coreContext: CoreRequestContextStorage
    /// The id in logs and in the response: the client's id, otherwise the booking's id.
    public var requestID: String
    /// The id of the booking that this request may create.
    ///
    /// The client's request id is not used, because it may repeat.
    let bookingID: UUID
    /// The connection, for streams that continue after the request.
    let channel: any Channel
    /// The verified bearer token's user; set once a user token was accepted.
    var bearer: Bearer?
    /// The operator; set once an operator token was accepted.
    var actor: OperatorIdentity?

    /// Creates the context of a new request.
    ///
    /// - Parameter source: The request's source.
    public init(source: Source) {
        self.coreContext = CoreRequestContextStorage(source: source)
        self.channel = source.channel
        self.bookingID = .timeOrdered()
        self.requestID = self.bookingID.wireText
    }
}

/// The context of a user route; it always has a user.
package struct UserRequestContext: ChildRequestContext {
    package var coreContext: CoreRequestContextStorage
    package let requestID: String
    package let bookingID: UUID
    let bearer: Bearer
    let channel: any Channel

    package var user: UserID { self.bearer.user }
    package var caller: Caller { self.bearer.caller }

    package init(context: AppRequestContext) throws {
        guard let bearer = context.bearer else { throw Problem.unauthenticated(BearerCredentials.missing) }
        self.coreContext = context.coreContext
        self.requestID = context.requestID
        self.bookingID = context.bookingID
        self.bearer = bearer
        self.channel = context.channel
    }
}

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
