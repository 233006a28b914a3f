import HTTPTypes
import Hummingbird
import Stores
import Wallet

/// Decides what a proof of purchase proves, by asking the store that it is of.
struct ProofDesk {
    let wallet: Wallet
    let stores: StoreClients
    let limiter: UserRateLimiter

    /// Verifies a proof.
    ///
    /// - Parameters:
    ///   - proof: What the caller sent.
    ///   - user: The caller.
    /// - Returns: The purchases that it proves; none for a proof that bought nothing.
    /// - Throws: ``Problem`` and ``StoreError`` for proofs that prove nothing and stores that cannot be asked.
    func verify(_ proof: ReceiptSubmission.Proof, of user: UserID) async throws -> ProvenPurchases {
        switch proof {
        case .receipt(let text): try await self.receipt(text, of: user)
        case .signed(let transactions, let app): try await self.signed(transactions, app)
        case .transactionID(let id): try await self.transaction(id, of: user)
        case .purchaseToken(let token, let productID): try await self.play(token, productID, of: user)
        case .revenueCat: try await self.revenueCat(of: user)
        }
    }

    /// Answers, and tells in every answer, refusals too, how often the caller may still have a store asked.
    ///
    /// - Parameters:
    ///   - user: The caller.
    ///   - work: Makes the answer.
    /// - Returns: The answer with the caller's standing.
    /// - Throws: ``Problem`` with the caller's standing, or an error that nobody foresaw.
    func answer<Answer: Encodable>(
        _ user: UserID,
        _ work: () async throws -> Answer
    ) async throws -> JSONAnswer<Answer> {
        do {
            let answer = try await work()
            return JSONAnswer(answer, headers: self.limiter.standing(of: user).headers)
        } catch {
            guard var problem = Problem(error) else { throw error }
            for field in self.limiter.standing(of: user).headers { problem.headers[field.name] = field.value }
            throw problem
        }
    }

    func takeTurn(of user: UserID) throws {
        guard self.limiter.take(user) else { throw self.limiter.refusal(of: user) }
    }

    static func enabled<Client>(_ client: Client?, _ name: String) throws -> Client {
        guard let client else { throw Problem.malformed("\(name) are not enabled on this service.") }
        return client
    }
}
