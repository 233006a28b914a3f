import Foundation
import HTTPTypes
import Testing
import WalletClient

@Suite
struct WalletClientTests {
    private static let key = HTTPField.Name("Idempotency-Key")
    private static let environment = HTTPField.Name("Wallet-Environment")

    private func problem(_ status: Int, retryAfter: Int? = nil) -> WalletServer.Answer {
        var headers: HTTPFields = [.contentType: "application/problem+json"]
        headers[.retryAfter] = retryAfter.map(String.init)
        return WalletServer.Answer(
            status: .init(code: status),
            headers: headers,
            body: #"""
                {"type":"https://example.com/problems/insufficient-credits","title":"Not enough credits","status":\#(status),
                "detail":"You need 15 more credits.","request_id":"r-1","credits_needed":15,"offers":{"packs":[]}}
                """#
        )
    }

    private func values(_ name: HTTPField.Name?, in server: WalletServer) throws -> [String?] {
        let name = try #require(name)
        return server.seen.map { $0.headers[name] }
    }

    @Test
    func `a booking keeps its key through temporary refusals and lost connections`() async throws {
        let answers = [
            self.problem(503, retryAfter: 0), self.problem(429),
            WalletServer.Answer(status: .created, body: bookingAnswer, isBroken: true),
            WalletServer.Answer(
                headers: [try #require(HTTPField.Name("Idempotent-Replayed")): "true"],
                body: bookingAnswer
            ),
        ]
        try await WalletServer.run(answers) { wallet, server async throws in
            let result = try await wallet.book(classID: "pottery", maxAmount: 20)
            #expect(result.isReplayed)
            #expect(result.booking.classID == "pottery")
            #expect(result.booking.startsAt == Date(timeIntervalSince1970: 1_795_456_800))
            #expect(result.booking.slices.map(\.amount) == [20])
            #expect(result.balance.credits == 5)
            let keys = try self.values(Self.key, in: server)
            #expect(keys.count == 4)
            #expect(Set(keys).count == 1)
            #expect(keys.first??.count == 36)
            #expect(Set(server.seen.map(\.body)).count == 1)
            #expect(server.seen.allSatisfy { $0.headers[.authorization] == "Bearer token-of-ann" })
        }
    }

    @Test
    func `two requests have two keys and one intent has one`() async throws {
        try await WalletServer.run([WalletServer.Answer(status: .created, body: bookingAnswer)]) {
            wallet,
            server async throws in
            _ = try await wallet.book(classID: "pottery")
            _ = try await wallet.book(classID: "pottery")
            let intent = BookingIntent(classID: "pottery", seats: 2, payWith: "visits", maxAmount: 3)
            let kept = try JSONDecoder().decode(BookingIntent.self, from: JSONEncoder().encode(intent))
            #expect(kept == intent)
            for _ in 0..<2 {
                let result = try await wallet.book(kept)
                #expect(!result.isReplayed)
            }
            let keys = try self.values(Self.key, in: server)
            #expect(Set(keys).count == 3)
            #expect(keys[2] == keys[3])
            let body = try JSONDecoder().decode(
                [String: JSONValue].self,
                from: Data((server.seen.last?.body ?? "").utf8)
            )
            #expect(body == ["class_id": "pottery", "seats": 2, "pay_with": "visits", "max_amount": 3])
        }
    }

    @Test
    func `a refusal is a problem with its members and is not retried`() async throws {
        try await WalletServer.run([self.problem(402)]) { wallet, server async throws in
            let problem = try await #require(throws: WalletProblem.self) { try await wallet.book(classID: "pottery") }
            #expect(problem.status == 402)
            #expect(problem.slug == "insufficient-credits")
            #expect(problem.title == "Not enough credits")
            #expect(problem.detail == "You need 15 more credits.")
            #expect(problem.requestID == "r-1")
            #expect(problem.members == ["credits_needed": 15, "offers": ["packs": []]])
            #expect(server.seen.count == 1)
        }
    }

    @Test
    func `retries end after the maximum`() async throws {
        try await WalletServer.run([self.problem(503)]) { wallet, server async throws in
            let problem = try await #require(throws: WalletProblem.self) { try await wallet.balance() }
            #expect(problem.status == 503)
            #expect(server.seen.count == 4)
        }
        try await WalletServer.run([self.problem(429, retryAfter: 60)]) { wallet, server async throws in
            let problem = try await #require(throws: WalletProblem.self) { try await wallet.balance() }
            #expect(problem.retryAfter == 60)
            #expect(server.seen.count == 1)
        }
        try await WalletServer.run([WalletServer.Answer(body: "{}", isBroken: true)]) { wallet, server async throws in
            let error = try await #require(throws: WalletClientError.self) { try await wallet.balance() }
            #expect(error.code == .unreachable)
            #expect(server.seen.count == 4)
        }
    }

    @Test
    func `a response of another form is distinguished from a refusal`() async throws {
        try await WalletServer.run([WalletServer.Answer(body: "<html>")]) { wallet, _ async throws in
            let error = try await #require(throws: WalletClientError.self) { try await wallet.balance() }
            #expect(error.code == .unreadableAnswer)
        }
        try await WalletServer.run([WalletServer.Answer(status: .badGateway, body: "<html>")]) {
            wallet,
            _ async throws in
            let problem = try await #require(throws: WalletProblem.self) { try await wallet.balance() }
            #expect(problem.status == 502)
            #expect(problem.slug == "")
        }
    }

    @Test
    func `the client continues with the wallet that a receipt was credited to`() async throws {
        let receipt = WalletServer.Answer(
            body: #"""
                {"granted":[{"transaction_id":"1","product_id":"starter","unit":"credit","amount":25,
                "lot_id":"0193fe00-0000-7000-8000-000000000002","lots":[],"duplicate":false}],"skipped":[{"transaction_id":"2","reason":"refunded"}],
                "subscriptions":[],"balance":{"credits":25,"visits":0,"version":1},"environment":"sandbox","finish":["1"]}
                """#
        )
        try await WalletServer.run([receipt, receipt, WalletServer.Answer(body: bookingAnswer)]) {
            wallet,
            server async throws in
            let result = try await wallet.submitReceipt("QUJD/+==", transactionID: "1")
            #expect(result.granted.map(\.amount) == [25])
            #expect(result.skipped.map(\.reason) == ["refunded"])
            #expect(result.finish == ["1"])
            #expect(await wallet.environment == .sandbox)
            _ = try await wallet.submitReceipt("QUJD/+==")
            _ = try await wallet.book(classID: "pottery")
            #expect(try self.values(Self.environment, in: server) == [nil, "sandbox", "sandbox"])
            let body = try JSONDecoder().decode([String: JSONValue].self, from: Data(server.seen[0].body.utf8))
            #expect(body == ["store": "app_store", "receipt": "QUJD/+==", "transaction_id": "1"])
        }
    }

    @Test
    func `paths and queries are escaped, and public lists carry no token`() async throws {
        let answer = WalletServer.Answer(body: #"{"classes":[],"bookings":[],"next_cursor":"a+b/c="}"#)
        try await WalletServer.run([answer]) { wallet, server async throws in
            #expect(try await wallet.classes(cursor: "a+b/c=&d", limit: 5).nextCursor == "a+b/c=")
            _ = try await wallet.bookings(status: .upcoming)
            await #expect(throws: WalletClientError.self) { try await wallet.classSession("yoga/1 ä") }
            #expect(
                server.seen.map(\.path) == [
                    "/classes?cursor=a%2Bb%2Fc%3D%26d&limit=5", "/bookings?status=upcoming",
                    "/classes/yoga%2F1%20%C3%A4",
                ]
            )
            #expect(server.seen.map { $0.headers[.authorization] != nil } == [false, true, false])
        }
    }

    @Test
    func `a cancelled task sends no more requests`() async throws {
        let answers = [self.problem(503, retryAfter: 60)]
        try await WalletServer.run(answers, longestDelay: .seconds(60)) { wallet, server async throws in
            let asking = Task { try await wallet.balance() }
            while server.seen.isEmpty {
                try await Task.sleep(for: .milliseconds(5))
            }
            asking.cancel()
            await #expect(throws: CancellationError.self) { try await asking.value }
            #expect(server.seen.count == 1)
        }
    }
}
