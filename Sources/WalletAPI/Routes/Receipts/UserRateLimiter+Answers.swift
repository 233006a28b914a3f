import HTTPTypes
import StoreSync
import Wallet

extension UserRateLimiter {
    /// Answers a request and adds the user's rate-limit state to every response, including refusals.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - work: A closure that creates the response.
    /// - Returns: The response with the user's rate-limit headers.
    /// - Throws: ``Problem`` with these headers, or an unexpected error.
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
