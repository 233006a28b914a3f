import Foundation
import WalletClient

extension LiveWallet {
    /// Makes a class as an operator does.
    func makeClass(
        credits: Int64? = nil,
        visits: Int64? = nil,
        seats: Int = 20,
        inDays days: Int = 10,
        hours: Int = 0
    ) async throws -> String {
        let id = "e2e-\(UUID().uuidString.lowercased())"
        let start = try await self.store.now().addingTimeInterval(Double(days * 86_400 + hours * 3_600))
        var price: [String: JSONValue] = [:]
        price["credits"] = credits.map { .integer($0) }
        price["visits"] = visits.map { .integer($0) }
        let definition: [String: JSONValue] = [
            "title": "A class", "starts_at": .string(start.formatted(.iso8601)),
            "ends_at": .string((start + 7_200).formatted(.iso8601)), "capacity": .integer(Int64(seats)),
            "price": .object(price),
        ]
        let answer = try await self.http.send(
            .put,
            "/operator/classes/\(id)",
            headers: [
                ("authorization", "Bearer \(self.description.operatorToken)"), ("idempotency-key", id),
                ("content-type", "application/json"),
            ],
            body: try JSONEncoder().encode(definition)
        )
        guard answer.status == 200 else { throw HarnessError("no class was made: \(answer.outcome)") }
        return id
    }

    func makeClasses(_ count: Int, credits: Int64) async throws -> [String] {
        var ids: [String] = []
        for _ in 0..<count { ids.append(try await self.makeClass(credits: credits)) }
        return ids
    }
}
