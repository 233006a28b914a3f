public import Wallet

/// The configuration of the HTTP server.
public struct WalletServerConfiguration: Sendable {
    /// The address to listen on.
    public var host: String
    /// The port to listen on; 0 takes a free one.
    public var port: Int
    /// The limit on receipt verifications of one user.
    public var receipts: RateLimit
    /// The limits on balance streams.
    public var streams: StreamLimits
    /// The maximum time in seconds that a connection may be idle.
    public var idleTimeout: Int
    /// The time for which `/ready` fails before the server stops accepting connections.
    public var drainDelay: Duration
    /// The maximum number of missing grants that a reconciliation repairs without confirmation.
    public var reconcileMaximumGrants: Int
    /// The maximum amount of credits or visits that one operator adjustment may add or deduct.
    public var operatorMaximumAmount: Int
    /// The maximum total of credits and visits that one operator may add and deduct by adjustments in one day (UTC).
    public var operatorDailyAmount: Int
    /// The origins whose web pages may call the user routes; empty for none, `*` for all.
    public var corsOrigins: [String]
    /// A Boolean value that indicates whether the API reference is served and linked from problems.
    public var hasReference: Bool
    /// The limits for all clients.
    public var limits: HTTPLimits
    /// The address of the operator pages; nil serves them on the main address.
    public var operatorPages: ListenAddress?

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - host: The address to listen on.
    ///   - port: The port to listen on; 0 takes a free one.
    ///   - receipts: The limit on receipt verifications of one user.
    ///   - streams: The limits on balance streams.
    ///   - idleTimeout: The maximum time in seconds that a connection may be idle.
    ///   - drainDelay: The time for which `/ready` fails before the server stops accepting connections.
    ///   - reconcileMaximumGrants: The maximum number of missing grants that a reconciliation repairs without
    ///     confirmation.
    ///   - operatorMaximumAmount: The maximum amount that one operator adjustment may add or deduct.
    ///   - operatorDailyAmount: The maximum total that one operator may add and deduct in one day (UTC).
    ///   - corsOrigins: The origins whose web pages may call the user routes; empty for none, `*` for all.
    ///   - hasReference: A Boolean value that indicates whether the API reference is served and linked from problems.
    ///   - limits: The limits for all clients.
    ///   - operatorPages: The address of the operator pages; nil serves them on the main address.
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
    /// The maximum amounts that operators may add and deduct.
    public var operatorLimits: OperatorLimits {
        OperatorLimits(maximumAmount: self.operatorMaximumAmount, dailyAmount: self.operatorDailyAmount)
    }
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
