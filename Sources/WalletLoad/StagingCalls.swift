import AsyncHTTPClient
import CommandOutput
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// Calls a service's API before and after a load; all calls are idempotent.
struct StagingCalls: Sendable {
    /// The parts of a response that the staging needs.
    struct Answer: Sendable {
        let status: Int
        /// The last part of the problem's type; nil for a success.
        let slug: String?
        /// The maximum amount of one adjustment, if the service refused a larger one.
        let maximum: Int?
        /// A Boolean value that indicates whether a list has more pages.
        let hasMore: Bool

        var isSuccess: Bool { (200..<300).contains(self.status) }
        /// The response for messages, such as `401 unauthenticated`.
        var name: String { self.slug.map { "\(self.status) \($0)" } ?? "\(self.status)" }
        /// A Boolean value that indicates whether retrying may succeed.
        fileprivate var mayHeal: Bool { self.status == 429 || self.status >= 500 }
    }

    /// The members of problems and of lists.
    private struct Members: Decodable {
        let type: String?
        let maximum: Int?
        let nextCursor: String?
    }

    let client: HTTPClient
    /// The service's address, without a trailing slash.
    let url: String

    /// Sends a request and retries it while the result is undecided.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path, with its leading slash.
    ///   - token: An operator's or user's token.
    ///   - key: The Idempotency-Key, if the route takes one.
    ///   - body: The body, if there is one; it is encoded in snake case.
    ///   - attempts: The maximum number of attempts; the default takes about ten seconds.
    /// - Returns: The last response.
    /// - Throws: ``CommandError`` if there was no response; `CancellationError` if the task is cancelled.
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
                    let trouble = LoadSecurity.trouble(error) ?? "The last attempt failed: \(error)."
                    throw CommandError(.unavailable, "\(self.url)\(path) does not respond. \(trouble)")
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
