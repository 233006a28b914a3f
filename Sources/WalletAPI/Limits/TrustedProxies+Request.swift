import HTTPTypes
import Hummingbird
import NIOCore
import Stores

extension TrustedProxies {
    /// Returns the client's address of a request, from its connection and its header fields.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The request's context, which contains the connection.
    /// - Returns: The client's address, for IPv6 its /64 network; nil if the connection has no address.
    func client(of request: Request, _ context: AppRequestContext) -> InternetAddress? {
        self.client(
            behind: context.channel.remoteAddress?.ipAddress.flatMap(InternetAddress.init(host:)),
            forwardedFor: request.headers[values: .forwardedFor]
        )
    }
}
