import Foundation

extension WalletClient {
    /// Sends a call and decodes its response.
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

    /// Sends a call and returns the successful response, after retries and at most one token renewal.
    func perform(_ call: WalletCall) async throws -> TransportResponse {
        var attempt = 1
        var isRenewed = false
        var fresh: String?
        while true {
            let token = call.isPublic ? nil : fresh == nil ? try await self.token() : fresh
            fresh = nil
            switch await self.attempt(call, token: token) {
            case .success(let response) where (200..<300).contains(response.status):
                return response
            case .success(let response):
                let problem = WalletProblem(response)
                if !isRenewed, let renewed = try await self.renewed(token, after: problem) {
                    (isRenewed, fresh) = (true, renewed)
                    continue
                }
                guard
                    call.isRepeatable, [429, 503].contains(problem.status),
                    let delay = self.retryPolicy.delay(after: attempt, retryAfter: problem.retryAfter)
                else { throw problem }
                try await Task.sleep(for: delay)
            case .failure(let failure):
                guard failure.mayPass, call.isRepeatable,
                    let delay = self.retryPolicy.delay(after: attempt, retryAfter: nil)
                else { throw failure.error }
                try await Task.sleep(for: delay)
            }
            attempt += 1
        }
    }

    private func attempt(_ call: WalletCall, token: String?) async -> Result<TransportResponse, AttemptFailure> {
        let sent = self.position.mark
        let request = call.request(
            baseURL: self.baseURL,
            token: token,
            environment: self.environment,
            position: sent.token
        )
        var answered: String?
        defer { self.position.take(answered, sent: sent) }
        do {
            let response = try await self.transport.send(request)
            answered = response.header(ReadPosition.header)
            return .success(response)
        } catch let error as WalletClientError where error.code == .invalidURL {
            return .failure(AttemptFailure(error: error, mayPass: false))
        } catch {
            if Task.isCancelled { return .failure(AttemptFailure(error: CancellationError(), mayPass: false)) }
            return .failure(
                AttemptFailure(error: WalletClientError(.unreachable, underlyingError: error), mayPass: true)
            )
        }
    }

    private struct AttemptFailure: Error {
        let error: any Error
        let mayPass: Bool
    }

    /// Sends a streaming call and passes each piece of the response body to `receive` until the stream ends.
    nonisolated func stream(_ call: WalletCall, _ receive: (Data) throws -> Void) async throws {
        let token = try await self.token()
        let response = try await self.openStream(call, token: token, receive)
        guard !(200..<300).contains(response.status) else { return }
        let problem = WalletProblem(response)
        guard let renewed = try await self.renewed(token, after: problem) else { throw problem }
        let second = try await self.openStream(call, token: renewed, receive)
        guard (200..<300).contains(second.status) else { throw WalletProblem(second) }
    }

    private nonisolated func openStream(
        _ call: WalletCall,
        token: String,
        _ receive: (Data) throws -> Void
    ) async throws -> TransportResponse {
        let request = call.request(baseURL: self.baseURL, token: token, environment: await self.environment)
        do {
            return try await self.transport.stream(request, receive)
        } catch let error as WalletClientError {
            throw error
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw WalletClientError(.unreachable, underlyingError: error)
        }
    }

    /// Returns a new token after a 401 response; nil if the response is not 401 or the provider returns the same token.
    private nonisolated func renewed(_ token: String?, after problem: WalletProblem) async throws -> String? {
        guard problem.status == 401, let token else { return nil }
        let renewed = try await self.token()
        return renewed == token ? nil : renewed
    }
}

/// One operation of the wallet's HTTP interface, without token and environment.
struct WalletCall: Sendable {
    var method = "GET"
    /// The path segments before percent-encoding.
    var path: [String]
    var query: [(name: String, value: String?)] = []
    var body: Data?
    var idempotencyKey: String?
    /// A Boolean value that indicates whether the operation is public; the client then sends no token.
    var isPublic = false
    /// A Boolean value that indicates whether the call may be repeated: a repeat changes nothing and gets the same
    /// response.
    var isRepeatable = true
    /// A Boolean value that indicates whether the response is an endless stream of events.
    var isStream = false
    /// The id of the last event that the client received.
    var lastEventID: String?

    /// Returns the request to send; query items without a value are omitted.
    func request(
        baseURL: String,
        token: String?,
        environment: WalletEnvironment,
        position: String? = nil
    ) -> TransportRequest {
        var headers = [("accept", self.isStream ? "text/event-stream" : "application/json")]
        if let lastEventID { headers.append(("last-event-id", lastEventID)) }
        if let token { headers.append(("authorization", "Bearer \(token)")) }
        if environment == .sandbox { headers.append(("wallet-environment", environment.rawValue)) }
        if let position { headers.append((ReadPosition.header, position)) }
        if let idempotencyKey { headers.append(("idempotency-key", idempotencyKey)) }
        if body != nil { headers.append(("content-type", "application/json")) }
        return TransportRequest(
            method: self.method,
            url: baseURL + self.target,
            headers: headers.map { (name: $0.0, value: $0.1) },
            body: self.body
        )
    }

    private var target: String {
        let path = self.path.map { "/" + Self.escaped($0) }.joined()
        let query = self.query.compactMap { member in
            member.value.map { "\(member.name)=\(Self.escaped($0))" }
        }
        return query.isEmpty ? path : path + "?" + query.joined(separator: "&")
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                return String(UnicodeScalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                return digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }.joined()
    }
}

/// The newest database position that a client has seen, from the server's `Wallet-Position` header.
///
/// All calls and streams of a client share one position.
final class ReadPosition: @unchecked Sendable {
    /// The position that a request sends, and the number of resets before it.
    struct Mark: Hashable, Sendable {
        fileprivate(set) var token = "latest"
        fileprivate var forgotten = 0
    }

    /// The header's name.
    static let header = "wallet-position"

    private let lock = NSLock()
    private var state = Mark()

    /// The position to send with the next request.
    var mark: Mark { self.lock.withLock { self.state } }

    /// Updates the position after a call.
    ///
    /// - Parameters:
    ///   - answered: The position in the response; nil if no response came or the response has no position. The call
    ///     may still have changed data, and another server may have no standbys.
    ///   - sent: The position that the request sent.
    func take(_ answered: String?, sent: Mark) {
        self.lock.withLock {
            guard let answered else { return self.state.forget() }
            // If nothing changed since the request was sent, the server's value replaces the position. This also covers
            // a server that lost its last writes. Otherwise the greater text wins, because it is the newer position;
            // "latest" is the greatest.
            self.state.token = sent == self.state ? answered : max(self.state.token, answered)
        }
    }

    /// Requests the newest data next, because the client saw or changed data without receiving its position.
    func forget() {
        self.lock.withLock { self.state.forget() }
    }
}

extension ReadPosition.Mark {
    fileprivate mutating func forget() {
        self.token = "latest"
        self.forgotten += 1
    }
}
