import AsyncHTTPClient
import Logging
import Postgres
import ServiceLifecycle
import Stores
import Wallet
import WalletAPI

/// The service put together from its configuration: the pool, the wallet on it, the server before it.
struct WalletApplication: Sendable {
    let pool: Pool
    let wallet: Wallet
    private let server: WalletServer
    private let sweeper: ExpirySweeper?

    /// Wires the modules; nothing is opened yet.
    ///
    /// - Parameters:
    ///   - configuration: What to wire.
    ///   - httpClient: Carries the calls to stores and key servers.
    ///   - logger: Where everything is logged.
    ///   - onListening: Called with the port once requests are taken.
    /// - Throws: ``CommandError`` for issuers that contradict each other.
    init(
        _ configuration: ServiceConfiguration,
        httpClient: HTTPClient,
        logger: Logger,
        onListening: @escaping @Sendable (Int) async -> Void = { _ in }
    ) async throws {
        let pool = Pool(configuration: configuration.database, logger: logger)
        let wallet = Wallet(pool: pool)
        self.pool = pool
        self.wallet = wallet
        self.server = WalletServer(
            configuration: configuration.http,
            wallet: wallet,
            tokens: try await Self.verifier(configuration.authentication, httpClient: httpClient, logger: logger),
            receipts: AppStoreReceiptVerifier(
                configuration: configuration.appStore,
                httpClient: httpClient,
                logger: logger
            ),
            logger: logger,
            onListening: onListening
        )
        self.sweeper = configuration.sweepInterval.map { ExpirySweeper(wallet: wallet, interval: $0, logger: logger) }
    }

    /// The services in the order they are started in; they are stopped the other way round.
    var services: [any Service] {
        [self.pool, self.sweeper, self.server].compactMap { (service: (any Service)?) in service }
    }

    private static func verifier(
        _ configuration: AuthenticationConfiguration,
        httpClient: HTTPClient,
        logger: Logger
    ) async throws -> TokenVerifier {
        do {
            return try await TokenVerifier(configuration: configuration, httpClient: httpClient, logger: logger)
        } catch let error as WalletAPIError {
            throw CommandError(.configuration, error.reason)
        }
    }
}
