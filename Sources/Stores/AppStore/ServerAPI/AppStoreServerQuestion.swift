import Foundation
import JSON
import Logging
import NIOHTTP1

/// A request to the App Store Server API, independent of the environment.
struct AppStoreServerQuestion: Sendable {
    let operation: StoreOperation
    var method = HTTPMethod.GET
    /// The path and query; every id in it has been escaped.
    var path: String
    var body: Data?

    /// Returns the HTTP request to one environment.
    /// - Parameters:
    ///   - baseURL: The base URL of the environment.
    ///   - token: The token that authenticates the service.
    /// - Returns: The request.
    func request(to baseURL: String, token: String) -> StoreCall.Request {
        var request = StoreCall.Request(method: self.method, url: baseURL + self.path)
        request.operation = self.operation
        request.headers = [("authorization", "Bearer \(token)")]
        if let body = self.body {
            request.headers.append(("content-type", "application/json"))
            request.body = body
        }
        return request
    }
}

/// Chooses the environment of the App Store Server API and interprets its refusals.
extension AppStoreServerAPI {
    private enum Reply {
        case ok(Data)
        case notHere(StoreError)
        case unauthorized(StoreError)
        case failed(StoreError)
    }

    private struct Failure: Decodable {
        let errorCode: Int
    }

    /// Sends a request to production, then to the sandbox if production does not find the transaction or refuses the
    /// token.
    ///
    /// The error is `notFound` only if both environments report it: an environment that refuses the token has not
    /// looked up the transaction.
    /// - Returns: The answer's body and the environment that answered.
    func ask(_ question: AppStoreServerQuestion) async throws(StoreError) -> (Data, StoreEnvironment) {
        let deadline = self.production.deadline
        switch try await self.reply(to: question, from: .production, until: deadline) {
        case .ok(let body): return (body, .production)
        case .failed(let error): throw error
        case .notHere:
            return (try await self.answer(to: question, from: .sandbox, until: deadline), .sandbox)
        case .unauthorized(let refusal):
            switch try await self.reply(to: question, from: .sandbox, until: deadline) {
            case .ok(let body): return (body, .sandbox)
            case .failed(let error): throw error
            case .notHere, .unauthorized: throw self.refused(refusal)
            }
        }
    }

    /// Sends a request to one environment only.
    func ask(
        _ question: AppStoreServerQuestion,
        of side: StoreEnvironment
    ) async throws(StoreError) -> Data {
        try await self.answer(to: question, from: side, until: self.production.deadline)
    }

    private func answer(
        to question: AppStoreServerQuestion,
        from side: StoreEnvironment,
        until deadline: ContinuousClock.Instant
    ) async throws(StoreError) -> Data {
        switch try await self.reply(to: question, from: side, until: deadline) {
        case .ok(let body): return body
        case .notHere(let error), .failed(let error): throw error
        case .unauthorized(let error): throw self.refused(error)
        }
    }

    private func reply(
        to question: AppStoreServerQuestion,
        from side: StoreEnvironment,
        until deadline: ContinuousClock.Instant
    ) async throws(StoreError) -> Reply {
        guard let token = try? await self.tokens.token() else { throw StoreError(.misconfigured) }
        let host = side == .production ? self.production : self.sandbox
        let request = question.request(to: self.configuration.url(of: side), token: token)
        return try await host.ask(request, until: deadline) { outcome in self.judge(outcome, of: host) }
    }

    private func judge(_ outcome: StoreCall.Outcome, of host: StoreHost) -> StoreHost.Judgement<Reply> {
        switch outcome {
        case .unreachable: return .again(host.unavailable(), .outage, seconds: nil)
        case .unusable: return .again(host.unavailable(), .inconclusive, seconds: nil)
        case .answered(let status, let seconds, let body):
            let code = status < 300 ? nil : try? JSONDecoder().decode(Failure.self, external: body).errorCode
            let verdict = AppStoreServerVerdict(status: status, errorCode: code)
            return self.judge(verdict, code: code ?? status, seconds: seconds, body, of: host)
        }
    }

    private func judge(
        _ verdict: AppStoreServerVerdict,
        code: Int,
        seconds: Int?,
        _ body: Data,
        of host: StoreHost
    ) -> StoreHost.Judgement<Reply> {
        switch verdict {
        case .ok: return .over(.ok(body), verdict.health)
        case .notHere: return .over(.notHere(StoreError(.notFound, storeStatus: code)), verdict.health)
        // Not an error yet: the sandbox may accept the token, as it does before an app is in the store.
        case .unauthorized: return .over(.unauthorized(StoreError(.misconfigured, storeStatus: code)), verdict.health)
        case .rejected:
            self.logger.error("the App Store Server API rejected our request", metadata: ["status": "\(code)"])
            return .over(.failed(StoreError(.rejected, storeStatus: code)), verdict.health)
        case .again, .nonsense:
            return .again(host.unavailable(status: code, retryAfter: seconds), verdict.health, seconds: seconds)
        case .limited:
            let pause = seconds ?? self.configuration.limits.retryAfter
            host.rest(forSeconds: pause)
            return .over(.failed(StoreError(.rateLimited, storeStatus: code, retryAfter: pause)), verdict.health)
        }
    }

    private func refused(_ error: StoreError) -> StoreError {
        self.logger.error(
            "the App Store Server API rejected our credentials: check issuer id, key id, key and bundle id"
        )
        return error
    }
}

/// The meaning of a status and an error code of the App Store Server API for the call.
private enum AppStoreServerVerdict {
    /// The store answered the request.
    case ok
    /// This environment does not find the transaction; the other one may.
    case notHere
    /// The environment refuses our token or does not find the app.
    case unauthorized
    /// A temporary failure; try again.
    case again(isOutage: Bool)
    /// Too many calls.
    case limited
    /// The store rejects the request; repeating it does not help.
    case rejected
    /// Not an answer of the store.
    case nonsense

    /// Derives the verdict from an answer.
    ///
    /// | HTTP status, error code | verdict |
    /// |---|---|
    /// | 200 to 299 | ok |
    /// | 4290000, or 429 | limited |
    /// | 4040002, 4040004, 4040006 (marked by the store as retryable) | again |
    /// | 5000000, 5000001, or 500 and above | again, an outage |
    /// | 401 | unauthorized |
    /// | 4040001, 4040005, 4040010 (account, original transaction, transaction) | not here |
    /// | 400 to 499 with any other code | rejected |
    /// | everything else, such as a proxy's 404 page | nonsense |
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - errorCode: The code in the answer's body, nil if the body has none.
    init(status: Int, errorCode: Int?) {
        switch (status, errorCode) {
        case (200..<300, _): self = .ok
        case (_, 4_290_000), (429, _): self = .limited
        case (_, 4_040_002), (_, 4_040_004), (_, 4_040_006): self = .again(isOutage: false)
        case (_, 5_000_000), (_, 5_000_001), (500..., _): self = .again(isOutage: true)
        case (401, _): self = .unauthorized
        case (404, 4_040_001), (404, 4_040_005), (404, 4_040_010): self = .notHere
        case (400..<500, .some): self = .rejected
        default: self = .nonsense
        }
    }

    /// The health of the environment that the verdict implies.
    var health: CircuitBreaker.Outcome {
        switch self {
        case .ok, .notHere, .unauthorized, .rejected, .limited: .working
        case .again(let isOutage): isOutage ? .outage : .working
        case .nonsense: .inconclusive
        }
    }
}
