import HTTPTypes
import StoreSync
import Wallet

extension UserRateLimiter {
    /// Answers a request, and says in every answer, refusals too, how often the user may still have a store asked.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - work: Makes the answer.
    /// - Returns: The answer with the user's rate-limit headers.
    /// - Throws: ``Problem`` with these headers, or an error that nobody foresaw.
    func answer<Answer: Encodable>(
        _ user: UserID,
        _ work: () async throws -> Answer
    ) async throws -> JSONAnswer<Answer> {
        do {
            let answer = try await work()
            return JSONAnswer(answer, headers: self.standing(of: user).headers)
        } catch let error as StoreSyncError where error.code == .rateLimited {
            throw self.refusal(of: user)
        } catch {
            guard var problem = Problem(error) else { throw error }
            for field in self.standing(of: user).headers { problem.headers[field.name] = field.value }
            throw problem
        }
    }
}
