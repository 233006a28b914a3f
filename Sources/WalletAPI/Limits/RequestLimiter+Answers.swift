import HTTPTypes
import Hummingbird

extension RequestLimiter {
    /// Answers a request within the limit, and says in the answer, a refusal too, where its key stands.
    ///
    /// - Parameters:
    ///   - key: Who asks.
    ///   - answer: Answers the request.
    /// - Returns: The answer.
    /// - Throws: ``Problem`` 429 `rate-limited`, or what the answer throws.
    func limit(_ key: Key, _ answer: () async throws -> Response) async throws -> Response {
        let (isAllowed, standing) = self.take(key)
        guard isAllowed else { throw self.refusal(standing) }
        do {
            var response = try await answer()
            response.headers.append(contentsOf: standing.headers)
            return response
        } catch {
            // What nobody foresaw is named further out, where it is logged.
            guard var problem = Problem(error), problem.status.code != 500 else { throw error }
            problem.headers.append(contentsOf: standing.headers)
            throw problem
        }
    }
}

extension HTTPFields {
    /// Adds fields beside those of the same name: limits form lists.
    fileprivate mutating func append(contentsOf fields: HTTPFields) {
        for field in fields { self.append(field) }
    }
}
