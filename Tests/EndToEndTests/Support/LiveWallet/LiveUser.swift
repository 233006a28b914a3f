import Foundation
import WalletClient

/// A user of a test's own: the SDK with their token, and raw requests in their name.
struct LiveUser: Sendable {
    let id: String
    let token: String
    let web: WebClient
    let client: WalletClient

    /// Makes a user whose client asks once: these tests look at each answer.
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

    /// Sends a request with the user's token; JSON unless the headers say otherwise.
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

    /// Asks for a booking with a body as it is.
    func book(_ body: String, key: String) async throws -> WebAnswer {
        try await self.send(.post, "/bookings", headers: [("idempotency-key", key)], body: body)
    }

    func book(class id: String, key: String = UUID().uuidString) async throws -> WebAnswer {
        try await self.book(#"{"class_id":"\#(id)"}"#, key: key)
    }

    func submit(_ receipt: String) async throws -> WebAnswer {
        try await self.send(.post, "/receipts", body: #"{"store":"app_store","receipt":"\#(receipt)"}"#)
    }

    /// The parts of the balance that every change of the books moves.
    func standing() async throws -> Standing {
        let balance = try await self.client.balance()
        return Standing(credits: balance.credits, visits: balance.visits, version: balance.version)
    }
}

/// What a wallet holds and how many entries led there.
struct Standing: Sendable, Equatable {
    let credits: Int64
    let visits: Int64
    let version: Int64
}

extension LiveWallet {
    /// Makes a user that no other test has.
    func user(_ name: String = "user") throws -> LiveUser {
        let id = "\(name)-\(UUID().uuidString.lowercased())"
        return try LiveUser(id, token: self.users.token(for: id), at: self.description.httpURL)
    }

    func users(_ count: Int, _ name: String) throws -> [LiveUser] {
        try (0..<count).map { try self.user("\(name)\($0)") }
    }
}
