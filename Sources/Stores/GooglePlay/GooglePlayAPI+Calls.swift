import Foundation
import Logging
import NIOHTTP1

extension GooglePlayAPI {
    /// By these a 403 says that we asked too often, not that we may not ask.
    private static let quotaReasons: Set<String> = [
        "rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "dailyLimitExceeded",
    ]

    /// The path of a resource of the app: every other part is an id.
    /// - Throws: ``StoreError`` `notFound` for an id that none can be.
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

    /// What the store says under an address.
    func document(from url: String, for operation: StoreOperation) async throws(StoreError) -> StoreDocument {
        let answer = try await self.answer(.GET, url, for: operation)
        guard (200..<300).contains(answer.status) else { throw self.error(of: answer) }
        guard let document = try? StoreDocument(parsing: answer.body) else { throw self.unavailable(answer) }
        return document
    }

    /// Sends a request with our token, and once more with a new one should that be refused.
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

    /// Reads an answer; one of another form says nothing of the purchase, and the store must be asked again.
    func read<Reading>(_ reading: () throws(StoreError) -> Reading) throws(StoreError) -> Reading {
        do throws(StoreError) {
            return try reading()
        } catch {
            guard error.code == .unreadable else { throw error }
            self.logger.error("Google Play gave an answer of another form")
            throw StoreError(.unavailable, retryAfter: self.configuration.limits.retryAfter)
        }
    }

    /// What an answer other than 2xx means; one in other words than Google's is somebody else's and means nothing.
    func error(of answer: StoreHost.Answer) -> StoreError {
        switch answer.status {
        case 400 where !Self.isGoogles(answer), 404 where !Self.isGoogles(answer), 410 where !Self.isGoogles(answer):
            return self.unavailable(answer)
        case 404, 410: return StoreError(.notFound, storeStatus: answer.status)
        case 400: return StoreError(.rejected, storeStatus: answer.status)
        case 403 where !Self.reasons(in: answer).isDisjoint(with: Self.quotaReasons): return self.unavailable(answer)
        case 401, 403:
            let status: Logger.Metadata = ["status": "\(answer.status)"]
            self.logger.error("Google Play refuses our service account", metadata: status)
            return StoreError(.misconfigured, storeStatus: answer.status)
        default: return self.unavailable(answer)
        }
    }

    func unavailable(_ answer: StoreHost.Answer) -> StoreError {
        let seconds = answer.retryAfter ?? self.configuration.limits.retryAfter
        return StoreError(.unavailable, storeStatus: answer.status, retryAfter: seconds)
    }

    /// Returns whether a refusal repeats its status in the body, as Google's own do.
    private static func isGoogles(_ answer: StoreHost.Answer) -> Bool {
        guard let error = (try? StoreDocument(parsing: answer.body))?["error"] else { return false }
        return (try? error.integer("code")) == Int64(answer.status)
    }

    /// The reasons that an answer gives for a refusal.
    static func reasons(in answer: StoreHost.Answer) -> Set<String> {
        guard
            let document = try? StoreDocument(parsing: answer.body),
            case .list(let errors)? = document["error"]?["errors"]
        else { return [] }
        return Set(errors.compactMap { try? $0.text("reason") })
    }
}
