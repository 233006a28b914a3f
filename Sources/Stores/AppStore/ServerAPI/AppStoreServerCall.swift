import Foundation
import NIOHTTP1

/// One attempt to ask one side of the App Store Server API, at its pace and through its circuit breaker.
struct AppStoreServerCall: Sendable {
    /// What is asked; the same whichever side is asked.
    struct Question: Sendable {
        let operation: StoreOperation
        var method = HTTPMethod.GET
        /// The path and query; every id in it has been escaped.
        var path: String
        var body: Data?
    }

    /// What came of the attempt.
    enum Outcome {
        /// An answer, and the store's code: the error code of the body, or else the HTTP status.
        case answer(AppStoreServerVerdict, code: Int, retryAfter: Int?, body: Data)
        /// No answer at all, or none in time, or an endless one.
        case noAnswer
        /// Nothing was sent: the side is down.
        case left(retryAfter: Int)
        /// Nothing was sent: there were too many calls.
        case held(retryAfter: Int)
        /// The caller went away.
        case cancelled
    }

    private struct Failure: Decodable {
        let errorCode: Int
    }

    let call: StoreCall
    let baseURL: String
    let breaker: CircuitBreaker
    let rate: CallRate
    let timeout: Duration

    /// Sends the question unless the side is left alone, and tells the breaker how it went.
    ///
    /// A caller who goes away cuts the exchange short; that says nothing of the store.
    /// - Parameters:
    ///   - question: what is asked.
    ///   - token: proves who asks.
    ///   - remaining: the time that the whole answer has left.
    /// - Returns: what came of it.
    func send(_ question: Question, token: String, within remaining: Duration) async -> Outcome {
        // Half the time is kept for the exchange: one without time would look like an outage of the store.
        var time = remaining
        switch self.rate.admit(within: remaining / 2) {
        case .refused(let seconds): return .held(retryAfter: seconds)
        case .admitted(let pause):
            time -= pause
            // Cut short only when the caller has gone, which is looked at next.
            if pause > .zero { try? await Task.sleep(for: pause) }
        }
        if Task.isCancelled { return .cancelled }
        if case .refused(let seconds) = self.breaker.admit() { return .left(retryAfter: seconds) }
        let reply = await self.call.send(self.request(question, token: token), within: min(self.timeout, time))
        if Task.isCancelled {
            self.breaker.report(.inconclusive)
            return .cancelled
        }
        return self.judge(reply)
    }

    private func request(_ question: Question, token: String) -> StoreCall.Request {
        var request = StoreCall.Request(method: question.method, url: self.baseURL + question.path)
        request.operation = question.operation
        request.headers = [("authorization", "Bearer \(token)")]
        if let body = question.body {
            request.headers.append(("content-type", "application/json"))
            request.body = body
        }
        return request
    }

    private func judge(_ reply: StoreCall.Outcome) -> Outcome {
        switch reply {
        case .unreachable:
            self.breaker.report(.outage)
            return .noAnswer
        case .unusable:
            self.breaker.report(.inconclusive)
            return .noAnswer
        case .answered(let status, let retryAfter, let body):
            let code = status < 300 ? nil : try? JSONDecoder().decode(Failure.self, from: body).errorCode
            let verdict = AppStoreServerVerdict(status: status, errorCode: code)
            self.breaker.report(verdict.health)
            return .answer(verdict, code: code ?? status, retryAfter: retryAfter, body: body)
        }
    }
}
