public import Foundation

/// A client for one user's credit wallet.
///
/// The client handles two cases that apps often get wrong. A booking uses one idempotency key for all its attempts, so
/// a lost response never books twice. After the wallet credits a sandbox purchase (TestFlight, App Review), the client
/// uses the sandbox wallet, which holds that purchase.
///
/// Every method throws ``WalletProblem`` if the wallet refuses the request and ``WalletClientError`` if no readable
/// response came. Methods also throw `CancellationError` when cancelled, and the errors of the token provider.
public actor WalletClient: WalletProtocol {
    /// Returns the user's current bearer token; called before every attempt and once more after a 401 response.
    ///
    /// If the second token differs, such as a refreshed one, the client repeats the call with it. If it is the same,
    /// the call fails with `unauthenticated`.
    public typealias TokenProvider = @Sendable () async throws -> String

    /// The version of this package; the service of the same version has the same API.
    public static let version = "0.1.0"

    /// The user's wallet that the client reads and changes.
    ///
    /// After a submitted or restored purchase, it is the wallet that holds the purchase. An app that remembers it
    /// across launches restores it with ``use(_:)``.
    public private(set) var environment: WalletEnvironment

    /// The newest position that this client has seen; the server uses only standbys that have reached it.
    let position = ReadPosition()
    let baseURL: String
    let token: TokenProvider
    let transport: URLSessionTransport
    let retryPolicy: WalletRetryPolicy

    /// Creates a client for one user.
    /// - Parameters:
    ///   - baseURL: The wallet's address, such as `https://wallet.example.com`.
    ///   - environment: The wallet to use first.
    ///   - timeout: The time limit of one attempt, in whole seconds.
    ///   - retryPolicy: The number of attempts and the pauses between them.
    ///   - token: Returns the user's current bearer token.
    public init(
        baseURL: URL,
        environment: WalletEnvironment = .production,
        timeout: Duration = .seconds(30),
        retryPolicy: WalletRetryPolicy = WalletRetryPolicy(),
        token: @escaping TokenProvider
    ) {
        let text = baseURL.absoluteString
        self.baseURL = text.hasSuffix("/") ? String(text.dropLast()) : text
        self.environment = environment
        self.retryPolicy = retryPolicy
        self.transport = URLSessionTransport(timeout: timeout)
        self.token = token
    }

    /// Selects another wallet of the user.
    /// - Parameter environment: The wallet.
    public func use(_ environment: WalletEnvironment) {
        self.environment = environment
    }
}
