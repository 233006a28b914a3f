public import Logging
public import NIOCore

/// How far outgoing calls may reach.
///
/// What the wallet calls is configured, yet a name can come to lead into the own network, and a certificate names the
/// responder that is asked about it. So the address is looked at twice: as it is written, before anything is opened,
/// and as it turns out, before anything is sent.
public enum EgressPolicy: Sendable, Equatable {
    /// Out into the internet only.
    case publicOnly
    /// To this machine and into the networks around it too.
    case anywhere

    /// Returns whether a URL's host may be called, as far as that is known without resolving its name.
    ///
    /// - Parameter host: The host as the URL has it.
    /// - Returns: Whether it is neither this machine's name nor an address that is out of reach.
    public func allows(host: String) -> Bool {
        if self == .anywhere { return true }
        let name = host.lowercased()
        if name == "localhost" || name == "localhost." || name.hasSuffix(".localhost") { return false }
        return InternetAddress(host: host)?.isPublic ?? !name.isEmpty
    }

    /// Returns whether a connection may be used.
    ///
    /// - Parameter address: Where it leads to.
    /// - Returns: Whether that is in reach.
    public func allows(_ address: SocketAddress?) -> Bool {
        if self == .anywhere { return true }
        guard let text = address?.ipAddress, let address = InternetAddress(host: text) else { return false }
        return address.isPublic
    }

    /// Looks at a connection that has just been opened, and closes it where it is out of reach.
    ///
    /// - Parameters:
    ///   - channel: The connection.
    ///   - logger: Learns where it led.
    /// - Returns: What fails unless the connection may be used.
    public func check(_ channel: any Channel, logger: Logger) -> EventLoopFuture<Void> {
        if self.allows(channel.remoteAddress) { return channel.eventLoop.makeSucceededVoidFuture() }
        logger.error(
            "an outgoing call would have left the internet and was not made",
            metadata: ["address": "\(channel.remoteAddress?.ipAddress ?? "none")"]
        )
        // Anyone who keeps connections must see this one closed before it learns that it failed.
        channel.close(promise: nil)
        return channel.closeFuture.flatMapThrowing { _ -> Void in throw OutOfReach() }
    }

    private struct OutOfReach: Error {}
}
