import Foundation
import Logging
import NIOHTTP1

/// Chooses the store environment for a receipt and interprets the store's answers.
extension AppStoreReceiptVerifier {
    private enum Reply {
        case ok(VerifyReceiptAnswer)
        case otherSide
        case failed(StoreError)
    }

    /// Sends the receipt to production, then to the environment that the store names, until one confirms or refuses it.
    ///
    /// The environment changes at most twice: to the sandbox, and back to production if the sandbox redirects the
    /// receipt.
    func askStore(about input: ReceiptInput) async -> Result<VerifiedReceipt, StoreError> {
        let deadline = self.production.deadline
        var side = StoreEnvironment.production
        for _ in 0..<3 {
            switch await self.ask(side, about: input, until: deadline) {
            case .ok(let answer):
                return self.remembering(self.read(answer, of: input, from: side), of: input)
            case .failed(let error):
                return self.remembering(.failure(error), of: input)
            case .otherSide:
                side = side == .production ? .sandbox : .production
            }
        }
        self.logger.error("production and sandbox each redirected the receipt to the other")
        return .failure(StoreError(.unavailable, retryAfter: self.configuration.limits.retryAfter))
    }

    private func ask(
        _ side: StoreEnvironment,
        about input: ReceiptInput,
        until deadline: ContinuousClock.Instant
    ) async -> Reply {
        guard let request = self.request(to: side, about: input) else { return .failed(StoreError(.misconfigured)) }
        let host = side == .production ? self.production : self.sandbox
        var doubtful = 0
        do {
            return try await host.ask(request, until: deadline) { outcome in
                let (judgement, isDoubtful) = self.judge(outcome, from: side, of: host)
                doubtful += isDoubtful ? 1 : 0
                // Status 21002 means a malformed receipt or a temporary failure; the second 21002 is taken as
                // malformed.
                guard doubtful == 2, case .again(let error, _, _) = judgement else { return judgement }
                return .over(.failed(StoreError(.rejected, storeStatus: error.storeStatus)))
            }
        } catch {
            return .failed(error)
        }
    }

    private func request(to side: StoreEnvironment, about input: ReceiptInput) -> StoreCall.Request? {
        let request = VerifyReceiptRequest(receiptData: input.base64, password: self.configuration.sharedSecret)
        guard let body = try? request.encoded() else { return nil }
        return StoreCall.Request(
            method: .POST,
            url: self.configuration.url(of: side),
            headers: [("content-type", "application/json")],
            body: body,
            operation: .verifyReceipt
        )
    }

    private func judge(
        _ outcome: StoreCall.Outcome,
        from side: StoreEnvironment,
        of host: StoreHost
    ) -> (StoreHost.Judgement<Reply>, isDoubtful: Bool) {
        switch outcome {
        case .unreachable: return (.again(host.unavailable(), .outage, seconds: nil), false)
        case .unusable: return (.again(host.unavailable(), .inconclusive, seconds: nil), false)
        case .answered(200, _, let body):
            guard let answer = try? JSONDecoder().decode(VerifyReceiptAnswer.self, from: body) else {
                return (.again(host.unavailable(), .inconclusive, seconds: nil), false)
            }
            let verdict = VerifyReceiptVerdict(of: answer, from: side)
            return (self.judge(answer, verdict, of: host), verdict == .retryOnce)
        case .answered(let status, let retryAfter, _):
            let health: CircuitBreaker.Outcome = status >= 500 ? .outage : .inconclusive
            return (.again(host.unavailable(retryAfter: retryAfter), health, seconds: nil), false)
        }
    }

    private func judge(
        _ answer: VerifyReceiptAnswer,
        _ verdict: VerifyReceiptVerdict,
        of host: StoreHost
    ) -> StoreHost.Judgement<Reply> {
        switch verdict {
        case .ok: return .over(.ok(answer), verdict.health)
        case .otherSide: return .over(.otherSide, verdict.health)
        case .rejected: return .over(.failed(StoreError(.rejected, storeStatus: answer.status)), verdict.health)
        case .misconfigured:
            self.logger.error(
                "the App Store rejected our request: check the shared secret",
                metadata: ["status": "\(answer.status)"]
            )
            return .over(.failed(StoreError(.misconfigured, storeStatus: answer.status)), verdict.health)
        case .again, .nonsense, .retryOnce:
            return .again(host.unavailable(status: answer.status), verdict.health, seconds: nil)
        }
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
                "the App Store accepted a receipt, but its response is inconsistent",
                metadata: [
                    "side": "\(side)"
                ]
            )
            return .failure(
                StoreError(.unavailable, storeStatus: answer.status, retryAfter: self.configuration.limits.retryAfter)
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
}

extension VerifiedReceipt {
    fileprivate init(_ reading: ReceiptReading, bundleID: String) {
        self.environment = reading.environment
        self.bundleID = bundleID
        self.facts = reading.facts.listingProductsOfChains()
        self.skipped = reading.skipped
        self.receiptSHA256 = reading.receiptSHA256
        self.requestedAt = reading.requestedAt
    }
}
