import Foundation
import WalletClient

/// A test's own user, with an SDK client and raw requests that use the user's token.
struct LiveUser: Sendable {
    let id: String
    let token: String
    let web: WebClient
    let client: WalletClient

    /// Creates a user whose client does not retry, because these tests check each response.
    init(_ id: String, token: String, at baseURL: String) throws {
        guard let url = URL(string: baseURL) else { throw HarnessError("\(baseURL) is no URL") }
        self.id = id
        self.token = token
        self.web = WebClient(baseURL: baseURL)
        self.client = WalletClient(
            baseURL: url,
            timeout: .seconds(60),
            retryPolicy: WalletRetryPolicy(maximumAttempts: 1)
        ) { token }
    }

    /// Sends a request with the user's token; the body is JSON unless the headers override it.
    func send(
        _ method: WebMethod,
        _ path: String,
        headers: [(String, String)] = [],
        body: String? = nil
    ) async throws -> WebAnswer {
        var all = [("authorization", "Bearer \(self.token)")] + headers
        if body != nil, !headers.contains(where: { $0.0 == "content-type" }) {
            all.append(("content-type", "application/json"))
        }
        return try await self.web.send(method, path, headers: all, body: body.map { Data($0.utf8) })
    }

    /// Requests a booking with the given body, unchanged.
    func book(_ body: String, key: String) async throws -> WebAnswer {
        try await self.send(.post, "/bookings", headers: [("idempotency-key", key)], body: body)
    }

    func book(class id: String, key: String = UUID().uuidString) async throws -> WebAnswer {
        try await self.book(#"{"class_id":"\#(id)"}"#, key: key)
    }

    func submit(_ receipt: String) async throws -> WebAnswer {
        try await self.send(.post, "/receipts", body: #"{"store":"app_store","receipt":"\#(receipt)"}"#)
    }

    /// Returns the parts of the balance that every change of the books affects.
    func standing() async throws -> Standing {
        let balance = try await self.client.balance()
        return Standing(credits: balance.credits, visits: balance.visits, version: balance.version)
    }
}

/// A wallet's balance and its number of entries.
struct Standing: Sendable, Equatable {
    let credits: Int64
    let visits: Int64
    let version: Int64
}

extension LiveWallet {
    /// Creates a user with a unique id.
    func user(_ name: String = "user") throws -> LiveUser {
        let id = "\(name)-\(UUID().uuidString.lowercased())"
        return try LiveUser(id, token: self.users.token(for: id), at: self.description.httpURL)
    }

    func users(_ count: Int, _ name: String) throws -> [LiveUser] {
        try (0..<count).map { try self.user("\(name)\($0)") }
    }
}
