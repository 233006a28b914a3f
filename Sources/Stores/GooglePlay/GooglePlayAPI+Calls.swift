import Foundation
import Logging
import NIOHTTP1

extension GooglePlayAPI {
    /// The reasons with which a 403 means an exceeded quota instead of a missing permission.
    private static let quotaReasons: Set<String> = [
        "rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "dailyLimitExceeded",
    ]

    /// Returns the path of a resource of the app; every second part is an id.
    /// - Throws: ``StoreError`` `notFound` for text that cannot be an id.
    func path(_ parts: String...) throws(StoreError) -> String {
        var path = "\(self.configuration.baseURL)/androidpublisher/v3/applications"
        path += "/\(try Self.segment(self.configuration.packageName))"
        for (index, part) in parts.enumerated() {
            path += "/\(index.isMultiple(of: 2) ? part : try Self.segment(part))"
        }
        return path
    }

    private static func segment(_ id: String) throws(StoreError) -> String {
        guard let segment = StorePath.segment(id) else { throw StoreError(.notFound) }
        return segment
    }

    /// Returns the JSON document at a URL of the store.
    func document(from url: String, for operation: StoreOperation) async throws(StoreError) -> StoreDocument {
        let answer = try await self.answer(.GET, url, for: operation)
        guard (200..<300).contains(answer.status) else { throw self.error(of: answer) }
        guard let document = try? StoreDocument(parsing: answer.body) else { throw self.unavailable(answer) }
        return document
    }

    /// Sends a request with the current token, and once more with a new token if the store refuses the first.
    func answer(
        _ method: HTTPMethod,
        _ url: String,
        for operation: StoreOperation,
        body: Data = Data("{}".utf8)
    ) async throws(StoreError) -> StoreHost.Answer {
        var request = StoreCall.Request(method: method, url: url, operation: operation)
        if method == .POST { request.body = body }
        let token = try await self.access.token()
        let answer = try await self.answer(to: &request, token: token)
        guard answer.status == 401 else { return answer }
        self.access.forget(token)
        return try await self.answer(to: &request, token: try await self.access.token())
    }

    private func answer(
        to request: inout StoreCall.Request,
        token: String
    ) async throws(StoreError) -> StoreHost.Answer {
        request.headers = [("authorization", "Bearer \(token)")]
        if request.method == .POST {
            request.headers.append(("content-type", "application/json"))
        }
        return try await self.host.answer(to: request)
    }

    /// Reads an answer; an answer of another form throws `unavailable`, since the request must be repeated later.
    func read<Reading>(_ reading: () throws(StoreError) -> Reading) throws(StoreError) -> Reading {
        do throws(StoreError) {
            return try reading()
        } catch {
            guard error.code == .unreadable else { throw error }
            self.logger.error("Google Play returned a response in an unknown format")
            throw StoreError(.unavailable, retryAfter: self.configuration.limits.retryAfter)
        }
    }

    /// Returns the error for an answer other than 2xx; a 400, 404 or 410 without Google's error body is treated as
    /// temporary.
    func error(of answer: StoreHost.Answer) -> StoreError {
        switch answer.status {
        case 400 where !Self.isGoogles(answer), 404 where !Self.isGoogles(answer), 410 where !Self.isGoogles(answer):
            return self.unavailable(answer)
        case 404, 410: return StoreError(.notFound, storeStatus: answer.status)
        case 400: return StoreError(.rejected, storeStatus: answer.status)
        case 403 where !Self.reasons(in: answer).isDisjoint(with: Self.quotaReasons): return self.unavailable(answer)
        case 401, 403:
            let status: Logger.Metadata = ["status": "\(answer.status)"]
            self.logger.error("Google Play rejected our service account", metadata: status)
            return StoreError(.misconfigured, storeStatus: answer.status)
        default: return self.unavailable(answer)
        }
    }

    func unavailable(_ answer: StoreHost.Answer) -> StoreError {
        let seconds = answer.retryAfter ?? self.configuration.limits.retryAfter
        return StoreError(.unavailable, storeStatus: answer.status, retryAfter: seconds)
    }

    /// Returns `true` if a refusal repeats its status in the body, as Google's refusals do.
    private static func isGoogles(_ answer: StoreHost.Answer) -> Bool {
        guard let error = (try? StoreDocument(parsing: answer.body))?["error"] else { return false }
        return (try? error.integer("code")) == Int64(answer.status)
    }

    /// Returns the reasons in an answer's error body.
    static func reasons(in answer: StoreHost.Answer) -> Set<String> {
        guard
            let document = try? StoreDocument(parsing: answer.body),
            case .list(let errors)? = document["error"]?["errors"]
        else { return [] }
        return Set(errors.compactMap { try? $0.text("reason") })
    }
}
