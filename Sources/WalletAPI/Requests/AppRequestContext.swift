import Foundation
public import Hummingbird
import Logging
import NIOCore
import Wallet

/// Carries what is known about a request from the middlewares to the routes.
public struct AppRequestContext: RequestContext {
    /// What Hummingbird itself keeps about a request.
    public var coreContext: CoreRequestContextStorage
    /// The id under which the request is logged and answered.
    public var requestID: String
    /// The connection, for answers that outlast the request.
    let channel: any Channel
    /// Who asks, once a bearer token has been accepted.
    var bearer: Bearer?
    /// Which operator asks, once an operator's token has been accepted.
    var actor: UserID?

    /// Makes the context of a request that nothing is known about yet.
    ///
    /// - Parameter source: Where the request came from.
    public init(source: Source) {
        self.coreContext = CoreRequestContextStorage(source: source)
        self.channel = source.channel
        self.requestID = Self.newRequestID()
    }

    /// A UUID of version 4, from the system's random numbers.
    static func newRequestID() -> String {
        var generator = SystemRandomNumberGenerator()
        var bytes = (generator.next(), generator.next())
        withUnsafeMutableBytes(of: &bytes) { raw in
            raw[6] = (raw[6] & 0x0F) | 0x40
            raw[8] = (raw[8] & 0x3F) | 0x80
        }
        return UUID(uuid: unsafeBitCast(bytes, to: uuid_t.self)).wireText
    }
}
