public import Logging
public import NIOCore

/// The networks that outgoing calls may reach.
///
/// The addresses that the wallet calls are configured, but a DNS name may resolve to an internal address, and a
/// certificate may name an internal OCSP responder. The policy therefore checks each address twice: the URL's host
/// before a connection is opened, and the resolved address before data is sent.
public enum EgressPolicy: Sendable, Equatable {
    /// Public internet addresses only.
    case publicOnly
    /// Any address, including this machine and its local networks.
    case anywhere

    /// Returns a Boolean value that indicates whether a URL's host may be called.
    ///
    /// The check does not resolve names, so a name that resolves to an internal address passes it.
    ///
    /// - Parameter host: The host as written in the URL.
    /// - Returns: `false` for a name of this machine, an address that is not public, or an empty host.
    public func allows(host: String) -> Bool {
        if self == .anywhere { return true }
        let name = host.lowercased()
        if name == "localhost" || name == "localhost." || name.hasSuffix(".localhost") { return false }
        return InternetAddress(host: host)?.isPublic ?? !name.isEmpty
    }

    /// Returns a Boolean value that indicates whether a connection to an address may be used.
    ///
    /// - Parameter address: The remote address of the connection.
    /// - Returns: `true` if the policy allows the address.
    public func allows(_ address: SocketAddress?) -> Bool {
        if self == .anywhere { return true }
        guard let text = address?.ipAddress, let address = InternetAddress(host: text) else { return false }
        return address.isPublic
    }

    /// Checks the remote address of a newly opened connection and closes the connection if the policy does not allow
    /// it.
    ///
    /// - Parameters:
    ///   - channel: The connection.
    ///   - logger: Logs the remote address of a refused connection.
    /// - Returns: A future that fails if the connection must not be used.
    public func check(_ channel: any Channel, logger: Logger) -> EventLoopFuture<Void> {
        if self.allows(channel.remoteAddress) { return channel.eventLoop.makeSucceededVoidFuture() }
        logger.error(
            "blocked an outgoing call to a private address",
            metadata: ["address": "\(channel.remoteAddress?.ipAddress ?? "none")"]
        )
        // A connection pool must see the channel closed before the future fails.
        channel.close(promise: nil)
        return channel.closeFuture.flatMapThrowing { _ -> Void in throw OutOfReach() }
    }

    private struct OutOfReach: Error {}
}
