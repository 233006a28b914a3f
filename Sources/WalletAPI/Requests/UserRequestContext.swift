import Foundation
import Hummingbird
import NIOCore
import Wallet

/// The context of a user route; it always has a user.
struct UserRequestContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    let requestID: String
    let bookingID: UUID
    let bearer: Bearer
    let channel: any Channel

    var user: UserID { self.bearer.user }
    var caller: Caller { self.bearer.caller }

    init(context: AppRequestContext) throws {
        guard let bearer = context.bearer else { throw Problem.unauthenticated(BearerCredentials.missing) }
        self.coreContext = context.coreContext
        self.requestID = context.requestID
        self.bookingID = context.bookingID
        self.bearer = bearer
        self.channel = context.channel
    }
}
