public import Foundation

/// A credit wallet, as an app sees it.
///
/// The client keeps two things right that apps tend to get wrong. A booking carries one idempotency key through all
/// its attempts, so a lost answer never books twice. And once the wallet has credited a sandbox purchase (TestFlight,
/// App Review), the client goes on in the sandbox wallet, where that purchase is.
///
/// Every method throws ``WalletProblem`` for what the wallet refused, ``WalletClientError`` where no answer came or
/// none that could be read, `CancellationError` when cancelled, and what the token provider throws.
public actor WalletClient: WalletProtocol {
    /// Gives the user's present bearer token; asked before every attempt, and once more when the wallet refuses one.
    ///
    /// A provider that has another token by then, such as a refreshed one, saves the call; with the same one the call
    /// fails with `unauthenticated`.
    public typealias TokenProvider = @Sendable () async throws -> String

    /// The wallet that is read and written.
    ///
    /// It follows what the wallet answers to a receipt; an app that remembers it
    /// over a restart sets it with ``use(_:)``.
    public private(set) var environment: WalletEnvironment

    /// How far this client has seen the books; the server lets a standby answer that has come as far.
    let position = ReadPosition()
    let baseURL: String
    let token: TokenProvider
    let transport: any WalletTransport
    let retryPolicy: WalletRetryPolicy

    /// Creates a client of one user.
    /// - Parameters:
    ///   - baseURL: where the wallet is served, such as `https://wallet.example.com`.
    ///   - environment: the wallet to begin with.
    ///   - timeout: how long one attempt may take, in whole seconds.
    ///   - retryPolicy: how persistently to ask again.
    ///   - token: gives the user's present bearer token.
    public init(
        baseURL: URL,
        environment: WalletEnvironment = .production,
        timeout: Duration = .seconds(30),
        retryPolicy: WalletRetryPolicy = WalletRetryPolicy(),
        token: @escaping TokenProvider
    ) {
        self.init(
            baseURL: baseURL,
            environment: environment,
            retryPolicy: retryPolicy,
            transport: URLSessionTransport(timeout: timeout),
            token: token
        )
    }

    init(
        baseURL: URL,
        environment: WalletEnvironment = .production,
        retryPolicy: WalletRetryPolicy,
        transport: any WalletTransport,
        token: @escaping TokenProvider
    ) {
        let text = baseURL.absoluteString
        self.baseURL = text.hasSuffix("/") ? String(text.dropLast()) : text
        self.environment = environment
        self.retryPolicy = retryPolicy
        self.transport = transport
        self.token = token
    }

    /// Goes on with another wallet of the user.
    /// - Parameter environment: the wallet.
    public func use(_ environment: WalletEnvironment) {
        self.environment = environment
    }

    /// Sends a call and decodes its answer.
    func send<Answer: Decodable>(_ call: WalletCall, as type: Answer.Type) async throws -> (Answer, TransportResponse) {
        let response = try await self.perform(call)
        do {
            return (try Self.decoder.decode(Answer.self, from: response.body), response)
        } catch {
            throw WalletClientError(.unreadableAnswer, underlyingError: error)
        }
    }

    static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }()
}
