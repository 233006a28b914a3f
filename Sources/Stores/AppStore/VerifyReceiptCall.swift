import Foundation
import NIOHTTP1

/// One attempt to ask one side of the store, through that side's circuit breaker.
struct VerifyReceiptCall: Sendable {
    /// What came of the attempt.
    enum Outcome {
        case answer(VerifyReceiptAnswer, VerifyReceiptVerdict)
        /// No answer that the protocol knows; the store may have said when to come again.
        case noAnswer(retryAfter: Int?)
        /// The breaker is open: nothing was sent.
        case left(retryAfter: Int)
    }

    let side: StoreEnvironment
    let call: StoreCall
    let url: String
    let breaker: CircuitBreaker
    let body: Data
    let timeout: Duration

    /// Sends the request unless the endpoint is left alone, and tells the breaker how it went.
    /// - Parameter remaining: the time that the whole verification has left.
    /// - Returns: what came of it.
    func send(within remaining: Duration) async -> Outcome {
        if case .refused(let seconds) = self.breaker.admit() { return .left(retryAfter: seconds) }
        let reply = await self.call.send(self.request, within: min(self.timeout, remaining))
        let (outcome, health) = self.judge(reply)
        self.breaker.report(health)
        return outcome
    }

    private var request: StoreCall.Request {
        StoreCall.Request(
            method: .POST,
            url: self.url,
            headers: [("content-type", "application/json")],
            body: self.body,
            operation: .verifyReceipt
        )
    }

    private func judge(_ reply: StoreCall.Outcome) -> (Outcome, CircuitBreaker.Outcome) {
        switch reply {
        case .unreachable: return (.noAnswer(retryAfter: nil), .outage)
        case .unusable: return (.noAnswer(retryAfter: nil), .inconclusive)
        case .answered(200, _, let body):
            guard let answer = try? JSONDecoder().decode(VerifyReceiptAnswer.self, from: body) else {
                return (.noAnswer(retryAfter: nil), .inconclusive)
            }
            return self.judge(answer)
        case .answered(let status, let retryAfter, _):
            return (.noAnswer(retryAfter: retryAfter), status >= 500 ? .outage : .inconclusive)
        }
    }

    private func judge(_ answer: VerifyReceiptAnswer) -> (Outcome, CircuitBreaker.Outcome) {
        let verdict = VerifyReceiptVerdict(of: answer, from: self.side)
        switch verdict {
        case .again(isOutage: true): return (.answer(answer, verdict), .outage)
        case .again, .nonsense: return (.answer(answer, verdict), .inconclusive)
        case .stands, .otherSide, .oncemore, .misconfigured, .rejected: return (.answer(answer, verdict), .working)
        }
    }
}
