/// An address to listen on.
public struct ListenAddress: Sendable, Equatable {
    /// The host's name or address.
    public var host: String
    /// The port; 0 takes a free one.
    public var port: Int

    /// Creates an address.
    ///
    /// - Parameters:
    ///   - host: The host's name or address.
    ///   - port: The port; 0 takes a free one.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
}
