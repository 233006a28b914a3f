import Foundation
import HTTPTypes
import Testing
import Wallet

extension ServerHarness {
    /// Sends JSON as an operator, with a new key unless one is given.
    func operate(
        _ method: HTTPRequest.Method,
        _ uri: String,
        key: String = UUID().uuidString,
        environment: String? = nil,
        json: [String: any Sendable]
    ) async throws -> Answer {
        var headers = ["Idempotency-Key": key]
        headers["Wallet-Environment"] = environment
        return try await self.send(method, uri, token: Self.operatorToken(), headers: headers, json: json)
    }

    /// Returns an operator's definition of a class that begins in some hours.
    func definition(
        startingIn hours: Double = 72,
        capacity: Int = 10,
        _ more: [String: any Sendable] = [:]
    ) async throws -> [String: any Sendable] {
        let start = try await self.wallet.now().addingTimeInterval(hours * 3_600)
        let definition: [String: any Sendable] = [
            "title": "Pottery", "starts_at": start.formatted(.iso8601),
            "ends_at": start.addingTimeInterval(7_200).formatted(.iso8601), "capacity": capacity,
            "price": ["credits": 20],
        ]
        return definition.merging(more) { $1 }
    }

    /// Grants credits to a user as an operator does.
    func give(_ credits: Int, to user: String) async throws {
        let answer = try await self.operate(
            .post,
            "/operator/adjustments",
            json: [
                "user_id": user, "unit": "credit", "amount": credits, "reason": "for a test",
                "reference": "given-\(UUID().uuidString)", "new_user": true,
            ]
        )
        try #require(answer.status == 201, "\(answer.text)")
    }

    /// Joins the waitlist of a class as a user.
    func wait(
        for id: String,
        as user: String,
        _ wish: [String: any Sendable] = [:]
    ) async throws -> Answer {
        try await self.send(.post, "/classes/\(id)/waitlist", as: user, json: wish)
    }

    /// Returns a unique class id.
    static func someClass() -> String { "class-\(UUID().uuidString.lowercased())" }
}
