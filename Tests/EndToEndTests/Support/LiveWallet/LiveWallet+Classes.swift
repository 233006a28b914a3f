import Foundation
import WalletClient

extension LiveWallet {
    /// Sends JSON as an operator, with a new idempotency key.
    func operate(_ method: WebMethod, _ path: String, _ members: [String: JSONValue]) async throws -> WebAnswer {
        try await self.http.send(
            method,
            path,
            headers: [
                ("authorization", "Bearer \(self.description.operatorToken)"),
                ("idempotency-key", UUID().uuidString), ("content-type", "application/json"),
            ],
            body: try JSONEncoder().encode(members)
        )
    }

    /// Creates a class as an operator does, or changes the class with the given id.
    @discardableResult
    func makeClass(
        credits: Int64? = nil,
        visits: Int64? = nil,
        seats: Int = 20,
        inDays days: Int = 10,
        hours: Int = 0,
        _ more: [String: JSONValue] = [:],
        as id: String = "e2e-\(UUID().uuidString.lowercased())"
    ) async throws -> String {
        let start = try await self.store.now().addingTimeInterval(Double(days * 86_400 + hours * 3_600))
        var price: [String: JSONValue] = [:]
        price["credits"] = credits.map { .integer($0) }
        price["visits"] = visits.map { .integer($0) }
        let definition: [String: JSONValue] = [
            "title": "A class", "starts_at": .string(start.formatted(.iso8601)),
            "ends_at": .string((start + 7_200).formatted(.iso8601)), "capacity": .integer(Int64(seats)),
            "price": .object(price),
        ]
        let answer = try await self.operate(.put, "/operator/classes/\(id)", definition.merging(more) { $1 })
        guard answer.status == 200 else { throw HarnessError("no class was made: \(answer.outcome)") }
        return id
    }

    func makeClasses(_ count: Int, credits: Int64) async throws -> [String] {
        var ids: [String] = []
        for _ in 0..<count { ids.append(try await self.makeClass(credits: credits)) }
        return ids
    }
}
