/// Configures the HTTP server.
public struct WalletServerConfiguration: Sendable {
    /// The address to listen on.
    public var host: String
    /// The port to listen on; 0 takes a free one.
    public var port: Int
    /// How often one user may have a receipt verified.
    public var receipts: RateLimit
    /// How long a connection may be silent, in seconds.
    public var idleTimeout: Int
    /// How long `/ready` says no before the server takes no more connections.
    public var drainDelay: Duration

    /// How many missing grants a reconciliation repairs without being confirmed.
    public var reconcileMaximumGrants: Int
    /// The origins whose web pages may read answers of the Supabase face; empty for all.
    public var corsOrigins: [String]

    /// Configures the server.
    ///
    /// - Parameters:
    ///   - host: The address to listen on.
    ///   - port: The port to listen on.
    ///   - receipts: How often one user may have a receipt verified.
    ///   - idleTimeout: How long a connection may be silent, in seconds.
    ///   - drainDelay: How long `/ready` says no before the server takes no more connections.
    ///   - reconcileMaximumGrants: How many missing grants a reconciliation repairs without being confirmed.
    ///   - corsOrigins: The origins whose web pages may read answers of the Supabase face; empty for all.
    public init(
        host: String = "127.0.0.1",
        port: Int = 8080,
        receipts: RateLimit = RateLimit(),
        idleTimeout: Int = 75,
        drainDelay: Duration = .zero,
        reconcileMaximumGrants: Int = 20,
        corsOrigins: [String] = []
    ) {
        self.host = host
        self.port = port
        self.receipts = receipts
        self.idleTimeout = idleTimeout
        self.drainDelay = drainDelay
        self.reconcileMaximumGrants = reconcileMaximumGrants
        self.corsOrigins = corsOrigins
    }
}
