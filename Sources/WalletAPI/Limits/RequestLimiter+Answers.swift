import HTTPTypes
import Hummingbird

extension RequestLimiter {
    /// Answers a request if the limit allows it, and adds the limit's state to the response or the refusal.
    ///
    /// - Parameters:
    ///   - key: The key of the client whose bucket is used.
    ///   - answer: A closure that answers the request.
    /// - Returns: The response.
    /// - Throws: ``Problem`` 429 `rate-limited`, or the error that `answer` throws.
    func limit(_ key: Key, _ answer: () async throws -> Response) async throws -> Response {
        let (isAllowed, standing) = self.take(key)
        guard isAllowed else { throw self.refusal(standing) }
        do {
            var response = try await answer()
            response.headers.append(contentsOf: standing.headers)
            return response
        } catch {
            // Unexpected errors are turned into problems further out, where they are logged.
            guard var problem = Problem(error), problem.status.code != 500 else { throw error }
            problem.headers.append(contentsOf: standing.headers)
            throw problem
        }
    }
}

extension HTTPFields {
    /// Appends fields even if fields of the same name exist, because several limits form a list.
    fileprivate mutating func append(contentsOf fields: HTTPFields) {
        for field in fields { self.append(field) }
    }
}
