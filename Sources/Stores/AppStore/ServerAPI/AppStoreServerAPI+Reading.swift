import Foundation
import Logging

/// Reads answers. Only signed data that matches the request is trusted.
extension AppStoreServerAPI {
    /// Decodes an answer's body.
    func read<Answer: Decodable>(_ type: Answer.Type, from body: Data) throws(StoreError) -> Answer {
        do {
            return try JSONDecoder().decode(type, from: body)
        } catch {
            self.logger.error(
                "the App Store Server API returned a response in an unknown format",
                metadata: ["answer": "\(type)"]
            )
            throw self.noAnswer
        }
    }

    /// The error for an unusable answer: it gives no information about the purchase, so the request must be repeated
    /// later.
    private var noAnswer: StoreError { StoreError(.unavailable, retryAfter: self.configuration.limits.retryAfter) }

    /// Verifies a transaction of an answer.
    ///
    /// The environment in the data must be the one that was called, even if the verifier maps the data to the sandbox
    /// because of its root certificate.
    func verified(_ jws: String, of side: StoreEnvironment) async throws(StoreError) -> SignedTransaction {
        let transaction = try await self.believing { () throws(StoreError) in try await self.verifier.transaction(jws) }
        guard transaction.payload.environment?.side == side else { throw self.disagreement("environment", of: side) }
        guard transaction.payload.bundleId == self.configuration.bundleID else {
            throw self.disagreement("bundle id", of: side)
        }
        return transaction
    }

    /// Verifies a part of an answer; maps an invalid part to `unavailable`, since the requested transaction is not at
    /// fault.
    func believing<Part: Sendable>(_ verify: () async throws(StoreError) -> Part) async throws(StoreError) -> Part {
        do throws(StoreError) {
            return try await verify()
        } catch {
            guard error.code != .unavailable, error.code != .misconfigured else { throw error }
            self.logger.error(
                "the App Store Server API returned a response without a valid signature",
                metadata: ["error": "\(error.code)"]
            )
            throw self.noAnswer
        }
    }

    /// Verifies the transactions of one page.
    ///
    /// A transaction of an unknown form is skipped and counted, so that the others are still returned.
    func facts(from list: [String], of side: StoreEnvironment) async throws(StoreError) -> [StoreFact] {
        var facts: [StoreFact] = []
        for jws in list {
            let transaction = try await self.verified(jws, of: side)
            guard var fact = try? transaction.fact(source: .serverAPI) else { continue }
            if fact.kind == .subscription { fact.occasion = .renewal }
            facts.append(fact)
        }
        if facts.count < list.count {
            self.logger.warning(
                "App Store transactions could not be read",
                metadata: ["side": "\(side)", "count": "\(list.count - facts.count)"]
            )
        }
        return facts
    }

    /// Rejects an answer whose unsigned members name another app or environment than the requested one.
    func expectAgreement(
        bundleID: String?,
        environment: String?,
        of side: StoreEnvironment
    ) throws(StoreError) {
        let isOtherApp = bundleID.map { $0 != self.configuration.bundleID } ?? false
        if isOtherApp { throw self.disagreement("bundle id", of: side) }
        let isOtherSide = environment.map { $0.lowercased() != side.rawValue } ?? false
        if isOtherSide { throw self.disagreement("environment", of: side) }
    }

    func disagreement(_ member: String, of side: StoreEnvironment) -> StoreError {
        self.logger.error(
            "the App Store Server API returned a response that does not match the request",
            metadata: ["side": "\(side)", "member": "\(member)"]
        )
        return self.noAnswer
    }
}
