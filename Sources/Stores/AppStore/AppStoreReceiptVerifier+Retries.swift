import Foundation
import Logging

/// The conversation about one receipt: which side is asked, how often, and what is made of the answers.
extension AppStoreReceiptVerifier {
    private enum Reply {
        case stands(VerifyReceiptAnswer)
        case otherSide
        case failed(StoreError)
    }

    /// Asks one side after the other until the store stands by the receipt or refuses it.
    ///
    /// Two changes of side are the most that make sense: production, sandbox, and production again should the sandbox
    /// side send the receipt back.
    func askStore(about input: ReceiptInput) async -> Result<VerifiedReceipt, StoreError> {
        let deadline = self.monotonicClock().advanced(by: self.configuration.deadline)
        var side = StoreEnvironment.production
        for _ in 0..<3 {
            switch await self.ask(side, about: input, until: deadline) {
            case .stands(let answer):
                return self.remembering(self.read(answer, of: input, from: side), of: input)
            case .failed(let error):
                return self.remembering(.failure(error), of: input)
            case .otherSide:
                side = side == .production ? .sandbox : .production
            }
        }
        self.logger.error("the store's two sides each send a receipt to the other")
        return .failure(StoreError(.unavailable, retryAfter: self.configuration.retryAfter))
    }

    private func ask(_ side: StoreEnvironment, about input: ReceiptInput, until deadline: ContinuousClock.Instant) async
        -> Reply
    {
        guard let call = self.call(to: side, about: input) else { return .failed(StoreError(.misconfigured)) }
        var status: Int?
        var retryAfter: Int?
        var doubtful = 0
        for attempt in 1...max(self.configuration.maximumAttempts, 1) {
            guard await self.pause(before: attempt, until: deadline) else { break }
            let outcome = await call.send(within: self.remaining(until: deadline))
            self.note(outcome, side: side, attempt: attempt)
            switch outcome {
            case .left(let seconds):
                return .failed(
                    StoreError(.unavailable, storeStatus: status, retryAfter: seconds, isUnasked: attempt == 1)
                )
            case .noAnswer(let seconds): retryAfter = seconds
            case .answer(let answer, let verdict):
                status = answer.status
                switch verdict {
                case .stands: return .stands(answer)
                case .otherSide: return .otherSide
                case .rejected: return .failed(StoreError(.rejected, storeStatus: status))
                case .misconfigured: return .failed(StoreError(.misconfigured, storeStatus: status))
                case .again, .nonsense: break
                case .oncemore:
                    doubtful += 1
                    if doubtful == 2 { return .failed(StoreError(.rejected, storeStatus: status)) }
                }
            }
        }
        let seconds = retryAfter ?? self.configuration.retryAfter
        return .failed(StoreError(.unavailable, storeStatus: status, retryAfter: seconds))
    }

    private func call(to side: StoreEnvironment, about input: ReceiptInput) -> VerifyReceiptCall? {
        let request = VerifyReceiptRequest(receiptData: input.base64, password: self.configuration.sharedSecret)
        guard let breaker = self.breakers[side], let body = try? request.encoded() else { return nil }
        return VerifyReceiptCall(
            side: side,
            call: self.call,
            url: self.configuration.url(of: side),
            breaker: breaker,
            body: body,
            timeout: self.configuration.attemptTimeout
        )
    }

    private func remaining(until deadline: ContinuousClock.Instant) -> Duration {
        self.monotonicClock().duration(to: deadline)
    }

    /// Waits between attempts; false when no time is left for another.
    private func pause(before attempt: Int, until deadline: ContinuousClock.Instant) async -> Bool {
        if attempt > 1 {
            let delay = self.configuration.retryDelay * (1 << min(attempt - 2, 10)) * Double.random(in: 0.75...1.25)
            guard delay < self.remaining(until: deadline) else { return false }
            // The task is never cancelled; were it, the next attempt would only come sooner.
            try? await Task.sleep(for: delay)
        }
        return self.remaining(until: deadline) > .zero
    }

    private func read(_ answer: VerifyReceiptAnswer, of input: ReceiptInput, from side: StoreEnvironment)
        -> Result<VerifiedReceipt, StoreError>
    {
        do {
            let reading = try ReceiptReading(
                of: answer,
                environment: side,
                receiptSHA256: input.sha256,
                now: self.wallClock()
            )
            guard try reading.agreesOnEnvironment() else { throw StoreRecord.Unreadable() }
            let bundleID = try reading.bundleID()
            guard self.configuration.bundleIDs.contains(bundleID) else { return .failure(StoreError(.wrongApp)) }
            return .success(VerifiedReceipt(reading, bundleID: bundleID))
        } catch {
            self.logger.error(
                "the store stands by a receipt but its answer contradicts itself",
                metadata: [
                    "side": "\(side)"
                ]
            )
            return .failure(
                StoreError(.unavailable, storeStatus: answer.status, retryAfter: self.configuration.retryAfter)
            )
        }
    }

    private func remembering(_ outcome: Result<VerifiedReceipt, StoreError>, of input: ReceiptInput)
        -> Result<VerifiedReceipt, StoreError>
    {
        switch outcome {
        case .success(let receipt): self.recent.remember(receipt, of: input.sha256)
        case .failure(let error) where error.code == .rejected || error.code == .wrongApp:
            self.refusals.remember(error, of: input.sha256)
        case .failure: break
        }
        return outcome
    }

    private func note(_ outcome: VerifyReceiptCall.Outcome, side: StoreEnvironment, attempt: Int) {
        let place: Logger.Metadata = ["side": "\(side)", "attempt": "\(attempt)"]
        switch outcome {
        case .left: self.logger.warning("App Store receipt endpoint is being left alone", metadata: place)
        case .noAnswer: self.logger.warning("App Store receipt endpoint gave no usable answer", metadata: place)
        case .answer(let answer, let verdict):
            let place = place.merging(["status": "\(answer.status)"]) { $1 }
            switch verdict {
            case .stands, .otherSide, .rejected:
                self.logger.debug("App Store receipt endpoint answered", metadata: place)
            case .again, .oncemore, .nonsense:
                self.logger.warning("App Store receipt endpoint asks for another attempt", metadata: place)
            case .misconfigured:
                self.logger.error("App Store refuses our request: check the shared secret", metadata: place)
            }
        }
    }
}

extension VerifiedReceipt {
    fileprivate init(_ reading: ReceiptReading, bundleID: String) {
        self.environment = reading.environment
        self.bundleID = bundleID
        self.facts = reading.facts
        self.skipped = reading.skipped
        self.receiptSHA256 = reading.receiptSHA256
        self.requestedAt = reading.requestedAt
    }
}
