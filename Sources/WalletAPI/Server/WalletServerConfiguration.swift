/// Configures the HTTP server.
public struct WalletServerConfiguration: Sendable {
    /// The address to listen on.
    public var host: String
    /// The port to listen on; 0 takes a free one.
    public var port: Int
    /// How often one user may have a receipt verified.
    public var receipts: RateLimit
    /// How many streams of balances are served.
    public var streams: StreamLimits
    /// How long a connection may be silent, in seconds.
    public var idleTimeout: Int
    /// How long `/ready` says no before the server takes no more connections.
    public var drainDelay: Duration
    /// How many missing grants a reconciliation repairs without being confirmed.
    public var reconcileMaximumGrants: Int
    /// How many credits or visits one adjustment of an operator may add or take.
    public var operatorMaximumAmount: Int
    /// How many credits and visits one operator may add and take by adjustments on one day (UTC).
    public var operatorDailyAmount: Int
    /// The origins whose web pages may call the user routes; empty for none, `*` for all.
    public var corsOrigins: [String]
    /// Whether the API reference is served, and named by a `Link` in problems.
    public var hasReference: Bool
    /// What clients may ask of the server, anyone who they are.
    public var limits: HTTPLimits
    /// Where the operators' pages are served; nil for beside everything else.
    public var operatorPages: ListenAddress?

    /// Configures the server.
    ///
    /// - Parameters:
    ///   - host: The address to listen on.
    ///   - port: The port to listen on.
    ///   - receipts: How often one user may have a receipt verified.
    ///   - streams: How many streams of balances are served.
    ///   - idleTimeout: How long a connection may be silent, in seconds.
    ///   - drainDelay: How long `/ready` says no before the server takes no more connections.
    ///   - reconcileMaximumGrants: How many missing grants a reconciliation repairs without being confirmed.
    ///   - operatorMaximumAmount: How many credits or visits one adjustment of an operator may add or take.
    ///   - operatorDailyAmount: How many credits and visits one operator may add and take on one day.
    ///   - corsOrigins: The origins whose web pages may call the user routes; empty for none, `*` for all.
    ///   - hasReference: Whether the API reference is served, and named by a `Link` in problems.
    ///   - limits: What clients may ask of the server, anyone who they are.
    ///   - operatorPages: Where the operators' pages are served; nil for beside everything else.
    public init(
        host: String = "127.0.0.1",
        port: Int = 8080,
        receipts: RateLimit = RateLimit(),
        streams: StreamLimits = StreamLimits(),
        idleTimeout: Int = 75,
        drainDelay: Duration = .zero,
        reconcileMaximumGrants: Int = 20,
        operatorMaximumAmount: Int = 1_000,
        operatorDailyAmount: Int = 20_000,
        corsOrigins: [String] = [],
        hasReference: Bool = false,
        limits: HTTPLimits = HTTPLimits(),
        operatorPages: ListenAddress? = nil
    ) {
        self.host = host
        self.port = port
        self.receipts = receipts
        self.streams = streams
        self.idleTimeout = idleTimeout
        self.drainDelay = drainDelay
        self.reconcileMaximumGrants = reconcileMaximumGrants
        self.operatorMaximumAmount = operatorMaximumAmount
        self.operatorDailyAmount = operatorDailyAmount
        self.corsOrigins = corsOrigins
        self.hasReference = hasReference
        self.limits = limits
        self.operatorPages = operatorPages
    }
}
