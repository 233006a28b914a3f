public import Foundation

/// A credit wallet, as an app sees it.
///
/// The client keeps two things right that apps tend to get wrong. A booking carries one idempotency key through all
/// its attempts, so a lost answer never books twice. And once the wallet has credited a sandbox purchase (TestFlight,
/// App Review), the client goes on in the sandbox wallet, where that purchase is.
///
/// Every method throws ``WalletProblem`` for what the wallet refused, ``WalletClientError`` where no answer came or
/// none that could be read, `CancellationError` when cancelled, and what the token provider throws.
public actor WalletClient {
    /// Gives the user's present bearer token; asked before every attempt.
    public typealias TokenProvider = @Sendable () async throws -> String

    /// The wallet that is read and written.
    ///
    /// It follows what the wallet answers to a receipt; an app that remembers it
    /// over a restart sets it with ``use(_:)``.
    public private(set) var environment: WalletEnvironment

    private let baseURL: String
    private let token: TokenProvider
    private let transport: any WalletTransport
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
        #if canImport(Darwin)
            let transport = URLSessionTransport(timeout: timeout)
        #else
            let transport = AsyncHTTPTransport(timeout: timeout)
        #endif
        self.init(
            baseURL: baseURL,
            environment: environment,
            retryPolicy: retryPolicy,
            transport: transport,
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
            throw WalletClientError(.unreadableAnswer)
        }
    }

    /// Sends a call until it is answered for good.
    func perform(_ call: WalletCall) async throws -> TransportResponse {
        var attempt = 1
        while true {
            let outcome = await self.attempt(call)
            switch outcome {
            case .success(let response) where (200..<300).contains(response.status): return response
            case .success(let response):
                let problem = WalletProblem(response)
                guard
                    call.isRepeatable, [429, 503].contains(problem.status),
                    let delay = self.retryPolicy.delay(after: attempt, retryAfter: problem.retryAfter)
                else { throw problem }
                try await Task.sleep(for: delay)
            case .failure(let failure):
                guard failure.mayPass, call.isRepeatable,
                    let delay = self.retryPolicy.delay(after: attempt, retryAfter: nil)
                else {
                    throw failure.error
                }
                try await Task.sleep(for: delay)
            }
            attempt += 1
        }
    }

    /// Sends a call whose answer goes on, and hands on what comes of it until it ends.
    nonisolated func stream(_ call: WalletCall, _ receive: (Data) throws -> Void) async throws {
        let token = try await self.token()
        let request = call.request(baseURL: self.baseURL, token: token, environment: await self.environment)
        let response: TransportResponse
        do {
            response = try await self.transport.stream(request, receive)
        } catch let error as WalletClientError {
            throw error
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw WalletClientError(.unreachable)
        }
        guard (200..<300).contains(response.status) else { throw WalletProblem(response) }
    }

    private struct AttemptFailure: Error {
        let error: any Error
        let mayPass: Bool
    }

    private func attempt(_ call: WalletCall) async -> Result<TransportResponse, AttemptFailure> {
        let request: TransportRequest
        do {
            let token = call.isPublic ? nil : try await self.token()
            request = call.request(baseURL: self.baseURL, token: token, environment: self.environment)
        } catch {
            return .failure(AttemptFailure(error: error, mayPass: false))
        }
        do {
            return .success(try await self.transport.send(request))
        } catch let error as WalletClientError where error.code == .invalidURL {
            return .failure(AttemptFailure(error: error, mayPass: false))
        } catch {
            if Task.isCancelled { return .failure(AttemptFailure(error: CancellationError(), mayPass: false)) }
            return .failure(AttemptFailure(error: WalletClientError(.unreachable), mayPass: true))
        }
    }

    static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }()
}
