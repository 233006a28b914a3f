import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// Calls of a service's routes before and after a load; every one of them may be sent again.
struct StagingCalls: Sendable {
    /// As much of an answer as the preparation of a load is about.
    struct Answer: Sendable {
        let status: Int
        /// The end of the problem's type, for what is no success.
        let slug: String?
        /// The largest amount of one adjustment, where a larger one was refused.
        let maximum: Int?
        /// Whether a list goes on behind what was answered of it.
        let hasMore: Bool

        var isSuccess: Bool { (200..<300).contains(self.status) }
        /// The answer as people read it, such as `401 unauthenticated`.
        var name: String { self.slug.map { "\(self.status) \($0)" } ?? "\(self.status)" }
        /// Whether the same may be answered otherwise a little later.
        fileprivate var mayHeal: Bool { self.status == 429 || self.status >= 500 }
    }

    /// Members of problems and of lists.
    private struct Members: Decodable {
        let type: String?
        let maximum: Int?
        let nextCursor: String?
    }

    let client: HTTPClient
    /// The service, without a slash at the end.
    let url: String

    /// Sends a request, again while it is not decided.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path, from its slash.
    ///   - token: The token of an operator or of a user.
    ///   - key: The Idempotency-Key, where the route takes one.
    ///   - body: The body, where there is one; encoded in snake case.
    ///   - attempts: How often it is sent at most; the usual number takes some ten seconds.
    /// - Returns: The last answer.
    /// - Throws: ``CommandError`` when none came, `CancellationError` once the task is cancelled.
    func send(
        _ method: HTTPMethod,
        _ path: String,
        token: String,
        key: String? = nil,
        body: (any Encodable & Sendable)? = nil,
        attempts: Int = 8
    ) async throws -> Answer {
        let request = try self.request(method, path, token: token, key: key, body: body)
        var attempt = 0
        while true {
            attempt += 1
            do {
                let answer = try await self.answer(to: request)
                if !answer.mayHeal || attempt == attempts { return answer }
            } catch {
                try Task.checkCancellation()
                guard attempt < attempts else {
                    let trouble = LoadSecurity.trouble(error) ?? "The last attempt ended with \(error)."
                    throw CommandError(.unavailable, "\(self.url)\(path) does not answer. \(trouble)")
                }
            }
            try await Task.sleep(for: .milliseconds(40 << attempt))
        }
    }

    private func request(
        _ method: HTTPMethod,
        _ path: String,
        token: String,
        key: String?,
        body: (any Encodable & Sendable)?
    ) throws -> HTTPClientRequest {
        var request = HTTPClientRequest(url: "\(self.url)\(path)")
        request.method = method
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        if let key { request.headers.add(name: "Idempotency-Key", value: key) }
        if let body {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.dateEncodingStrategy = .iso8601
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(data: try encoder.encode(body)))
        }
        return request
    }

    private func answer(to request: HTTPClientRequest) async throws -> Answer {
        let response = try await self.client.execute(request, timeout: .seconds(10))
        let body = try await response.body.collect(upTo: 1_048_576)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let members = try? decoder.decode(Members.self, from: Data(buffer: body))
        return Answer(
            status: Int(response.status.code),
            slug: members?.type?.split(separator: "/").last.map(String.init),
            maximum: members?.maximum,
            hasMore: members?.nextCursor != nil
        )
    }
}
