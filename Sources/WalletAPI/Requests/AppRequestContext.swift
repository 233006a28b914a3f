import Foundation
public import Hummingbird
import Logging
import NIOCore
import Wallet

/// Carries what is known about a request from the middlewares to the routes.
public struct AppRequestContext: RequestContext {
    /// What Hummingbird itself keeps about a request.
    public var coreContext: CoreRequestContextStorage
    /// The id under which the request is logged and answered: its booking's, unless the client brought one.
    public var requestID: String
    /// The id that a booking takes which the request makes.
    ///
    /// Ids that clients bring may repeat, so none of them is it.
    let bookingID: UUID
    /// The connection, for answers that outlast the request.
    let channel: any Channel
    /// Who asks, once a bearer token has been accepted.
    var bearer: Bearer?
    /// Which operator asks, once an operator's token has been accepted.
    var actor: OperatorIdentity?

    /// Makes the context of a request that nothing is known about yet.
    ///
    /// - Parameter source: Where the request came from.
    public init(source: Source) {
        self.coreContext = CoreRequestContextStorage(source: source)
        self.channel = source.channel
        self.bookingID = .timeOrdered()
        self.requestID = self.bookingID.wireText
    }
}
