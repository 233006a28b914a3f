import Foundation
import Logging

/// The conversation about one answer: which side is asked, how often, and what is made of refusals.
extension AppStoreServerAPI {
    private enum Reply {
        case stands(Data)
        case notHere(StoreError)
        case unauthorized(StoreError)
        case failed(StoreError)
    }

    /// Asks production, then the sandbox where production does not know the transaction or refuses the token.
    ///
    /// Only two sides that both say so make a purchase unknown: one that refused the token has said nothing of it.
    /// - Returns: the answer's body, and the side that gave it.
    func ask(_ question: AppStoreServerCall.Question) async throws(StoreError) -> (Data, StoreEnvironment) {
        let deadline = self.deadline()
        switch await self.reply(to: question, from: .production, until: deadline) {
        case .stands(let body): return (body, .production)
        case .failed(let error): throw error
        case .notHere:
            return (try await self.answer(to: question, from: .sandbox, until: deadline), .sandbox)
        case .unauthorized(let refusal):
            switch await self.reply(to: question, from: .sandbox, until: deadline) {
            case .stands(let body): return (body, .sandbox)
            case .failed(let error): throw error
            case .notHere, .unauthorized: throw self.refused(refusal)
            }
        }
    }

    /// Asks one side only.
    func ask(
        _ question: AppStoreServerCall.Question,
        of side: StoreEnvironment
    ) async throws(StoreError) -> Data {
        try await self.answer(to: question, from: side, until: self.deadline())
    }

    private func answer(
        to question: AppStoreServerCall.Question,
        from side: StoreEnvironment,
        until deadline: ContinuousClock.Instant
    ) async throws(StoreError) -> Data {
        switch await self.reply(to: question, from: side, until: deadline) {
        case .stands(let body): return body
        case .notHere(let error), .failed(let error): throw error
        case .unauthorized(let error): throw self.refused(error)
        }
    }

    private func reply(
        to question: AppStoreServerCall.Question,
        from side: StoreEnvironment,
        until deadline: ContinuousClock.Instant
    ) async -> Reply {
        guard let token = try? self.tokens.token() else { return .failed(StoreError(.misconfigured)) }
        let call = side == .production ? self.production : self.sandbox
        var last = StoreError(.unavailable, retryAfter: self.configuration.retryAfter)
        var rest: Int?
        for attempt in 1...max(self.configuration.maximumAttempts, 1) {
            guard await self.pause(before: attempt, atLeast: rest, until: deadline) else { break }
            let outcome = await call.send(question, token: token, within: self.remaining(until: deadline))
            self.note(outcome, side: side, attempt: attempt)
            switch self.judge(outcome, of: call, isFirst: attempt == 1) {
            case .over(let reply): return reply
            case .again(let error, let seconds): (last, rest) = (error, seconds)
            }
        }
        return .failed(last)
    }

    private enum Judgement {
        case over(Reply)
        /// The store may have named the seconds to wait.
        case again(StoreError, seconds: Int?)
    }

    private func judge(_ outcome: AppStoreServerCall.Outcome, of call: AppStoreServerCall, isFirst: Bool) -> Judgement {
        let usual = self.configuration.retryAfter
        switch outcome {
        case .cancelled: return .over(.failed(StoreError(.unavailable, retryAfter: usual)))
        case .left(let seconds):
            return .over(.failed(StoreError(.unavailable, retryAfter: seconds, isUnasked: isFirst)))
        case .held(let seconds):
            return .over(.failed(StoreError(.rateLimited, retryAfter: seconds, isUnasked: isFirst)))
        case .noAnswer: return .again(StoreError(.unavailable, retryAfter: usual), seconds: nil)
        case .answer(let verdict, let code, let seconds, let body):
            switch verdict {
            case .stands: return .over(.stands(body))
            case .notHere: return .over(.notHere(StoreError(.notFound, storeStatus: code)))
            case .unauthorized: return .over(.unauthorized(StoreError(.misconfigured, storeStatus: code)))
            case .rejected: return .over(.failed(StoreError(.rejected, storeStatus: code)))
            case .again, .nonsense:
                let error = StoreError(.unavailable, storeStatus: code, retryAfter: seconds ?? usual)
                return .again(error, seconds: seconds)
            case .limited:
                call.rate.rest(forSeconds: seconds ?? usual)
                return .over(.failed(StoreError(.rateLimited, storeStatus: code, retryAfter: seconds ?? usual)))
            }
        }
    }

    /// Waits between attempts; false when no time is left for another.
    private func pause(
        before attempt: Int,
        atLeast seconds: Int?,
        until deadline: ContinuousClock.Instant
    ) async -> Bool {
        if attempt > 1 {
            let usual = self.configuration.retryDelay * (1 << min(attempt - 2, 10)) * Double.random(in: 0.75...1.25)
            let delay = max(usual, .seconds(seconds ?? 0))
            guard delay < self.remaining(until: deadline) else { return false }
            // A caller who goes away cuts this short; the call looks at that before it sends anything.
            try? await Task.sleep(for: delay)
        }
        return self.remaining(until: deadline) > .zero
    }

    private func refused(_ error: StoreError) -> StoreError {
        self.logger.error("App Store Server API is closed to us: check issuer id, key id, key and bundle id")
        return error
    }

    private func deadline() -> ContinuousClock.Instant {
        self.monotonicClock().advanced(by: self.configuration.deadline)
    }

    private func remaining(until deadline: ContinuousClock.Instant) -> Duration {
        self.monotonicClock().duration(to: deadline)
    }

    private func note(_ outcome: AppStoreServerCall.Outcome, side: StoreEnvironment, attempt: Int) {
        var place: Logger.Metadata = ["side": "\(side)", "attempt": "\(attempt)"]
        switch outcome {
        case .cancelled: break
        case .left: self.logger.warning("App Store Server API is being left alone", metadata: place)
        case .held: self.logger.warning("App Store Server API gets no more calls for now", metadata: place)
        case .noAnswer: self.logger.warning("App Store Server API gave no usable answer", metadata: place)
        case .answer(let verdict, let code, _, _):
            place["status"] = "\(code)"
            switch verdict {
            case .stands, .notHere: self.logger.debug("App Store Server API answered", metadata: place)
            case .again, .limited, .nonsense: self.logger.warning("App Store Server API failed", metadata: place)
            case .rejected: self.logger.error("App Store Server API rejects our request", metadata: place)
            // No error yet: the other side may take the token, as the sandbox does before an app is in the store.
            case .unauthorized: self.logger.warning("App Store Server API refuses our token", metadata: place)
            }
        }
    }
}
