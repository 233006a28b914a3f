import StoreSync
public import Wallet

/// The configuration of the HTTP server.
public struct WalletServerConfiguration: Sendable {
    /// The address to listen on.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 takes a free one.
    public var port = 8_080
    /// The limit on receipt verifications of one user.
    public var receipts = RateLimit()
    /// The limits on balance streams.
    public var streams = StreamLimits()
    /// The maximum time in seconds that a connection may be idle.
    public var idleTimeout = 75
    /// The time for which `/ready` fails before the server stops accepting connections.
    public var drainDelay: Duration = .zero
    /// The maximum number of missing grants that a reconciliation repairs without confirmation.
    public var reconcileMaximumGrants = ReconciliationRequest().maximumGrants
    /// The maximum amounts of credits and visits that operators may add and deduct.
    public var operatorLimits = OperatorLimits()
    /// The origins whose web pages may call the user routes; empty for none, `*` for all.
    public var corsOrigins: [String] = []
    /// A Boolean value that indicates whether the API reference is served and linked from problems.
    public var hasReference = false
    /// The limits for all clients.
    public var limits = HTTPLimits()
    /// The address of the operator pages; nil serves them on the main address.
    public var operatorPages: ListenAddress?

    /// Creates a configuration with the defaults.
    public init() {}
}

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
