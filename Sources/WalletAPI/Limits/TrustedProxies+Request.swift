import HTTPTypes
import Hummingbird
import NIOCore
import Stores

extension TrustedProxies {
    /// Finds the client of a request from its connection and its fields.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: Its context, which knows the connection.
    /// - Returns: The client's address, for IPv6 its /64; nil where nothing is known.
    func client(of request: Request, _ context: AppRequestContext) -> InternetAddress? {
        self.client(
            behind: context.channel.remoteAddress?.ipAddress.flatMap(InternetAddress.init(host:)),
            forwardedFor: request.headers[values: .forwardedFor]
        )
    }
}
