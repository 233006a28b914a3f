import Foundation
import HTTPTypes
import Testing

@testable import WalletClient

/// Tests of balance streams, passes, forecasts and the contents of a 402.
@Suite(.timeLimit(.minutes(10)))
struct BalanceStreamTests {
    private static let lastEventID = HTTPField.Name("Last-Event-ID")
    private static let refusal = WalletServer.Answer(
        status: .unauthorized,
        headers: [.contentType: "application/problem+json"],
        body: #"{"type":"https://example.com/problems/unauthenticated","title":"No","status":401}"#
    )

    /// Returns a balance on one line, as in a stream's events.
    private static func balance(_ credits: Int) -> String {
        #"{"user_id":"ann","app_account_token":"0193fe00-0000-4000-8000-000000000003","environment":"production","#
            + #""credits":\#(credits),"visits":0,"unlimited":false,"owed_credits":0,"owed_visits":0,"version":2,"#
            + #""lots":[],"upcoming_expirations":[],"next_rollover_at":null,"as_of":"2026-11-21T01:31:00Z"}"#
    }

    private static func stream(_ body: String, isBroken: Bool = false) -> WalletServer.Answer {
        WalletServer.Answer(headers: [.contentType: "text/event-stream"], body: body, isBroken: isBroken)
    }

    @Test
    func `a stream that ends resumes after the last event until the token is rejected`() async throws {
        let first = """
            retry: 5000

            : keep-alive

            id: "p1-0"
            event: balance
            data: \(Self.balance(5))

            event: other
            data: {}


            """
        let second = "id: \"p2-0\"\r\nevent: balance\r\ndata: \(Self.balance(7))\r\n\r\n"
        let busy = WalletServer.Answer(status: .serviceUnavailable, headers: [.retryAfter: "0"], body: "")
        let answers = [Self.stream(first, isBroken: true), busy, Self.stream(second), Self.refusal]
        try await WalletServer.run(answers) { wallet, server async throws in
            var seen: [Int64] = []
            let problem = await #expect(throws: WalletProblem.self) {
                for try await balance in wallet.balances() { seen.append(balance.credits) }
            }
            #expect(problem?.slug == "unauthenticated")
            #expect(seen == [5, 7])
            #expect(server.seen.map(\.path) == Array(repeating: "/balance/stream", count: 4))
            #expect(server.seen.allSatisfy { $0.headers[.authorization] == "Bearer token-of-ann" })
            #expect(server.seen.allSatisfy { $0.headers[.accept] == "text/event-stream" })
            let name = try #require(Self.lastEventID)
            #expect(server.seen.map { $0.headers[name] } == [nil, "\"p1-0\"", "\"p1-0\"", "\"p2-0\""])
        }
    }

    @Test(arguments: [Int.max, 999_999_999, 3_601, Int.min, -5])
    func `an implausible pause is limited to minutes`(seconds: Int) {
        let policy = WalletRetryPolicy(firstDelay: .milliseconds(5), longestDelay: .seconds(1))
        for failures in [0, 3, Int.max] {
            let pause = policy.pause(failures, retryAfter: seconds)
            #expect(pause > .zero && pause <= .seconds(300))
        }
        // For other requests, the caller decides whether to wait that long.
        let delay = policy.delay(after: 1, retryAfter: seconds)
        #expect(seconds > 0 ? delay == nil : (delay ?? .seconds(-1)) >= .zero)
    }

    @Test
    func `a stream waits as long as the wallet requests, within minutes`() {
        let policy = WalletRetryPolicy(firstDelay: .milliseconds(5), longestDelay: .seconds(1))
        #expect(policy.pause(0, retryAfter: 30) == .seconds(30))
        #expect(policy.pause(0, retryAfter: nil) < .seconds(1))
    }

    @Test
    func `a reader that stops sends no more requests`() async throws {
        let event = "event: balance\ndata: \(Self.balance(5))\n\n"
        try await WalletServer.run([Self.stream(event)]) { wallet, server async throws in
            for try await balance in wallet.balances() {
                #expect(balance.credits == 5)
                break
            }
            // A request may be in flight when the reader stops.
            var asked = 0
            for _ in 0..<20 where server.seen.count != asked {
                asked = server.seen.count
                try await Task.sleep(for: .milliseconds(300))
            }
            #expect(server.seen.count == asked)
        }
    }

    @Test
    func `an unreadable event ends the sequence`() async throws {
        try await WalletServer.run([Self.stream("event: balance\ndata: {}\n\n")]) { wallet, _ async throws in
            let error = await #expect(throws: WalletClientError.self) {
                for try await _ in wallet.balances() {}
            }
            #expect(error?.code == .unreadableAnswer)
        }
    }

    @Test
    func `passes, their visits and forecasts are requested as documented`() async throws {
        let passes = #"""
            {"passes":[{"lot_id":"0193fe00-0000-7000-8000-000000000002","transaction_id":"1","product_id":"fiveVisit",
            "name":"Five visits","granted":5,"remaining":4,"purchased_at":"2026-11-01T09:00:00Z",
            "expires_at":"2026-12-31T09:00:00Z","starts_at":"2026-12-01T09:00:00Z","is_active":true,"history":[{"booking_id":null,
            "class_id":null,"class_title":null,"reference":"door","amount":1,"used_at":"2026-11-21T08:00:00Z"}]}],
            "next_cursor":"n"}
            """#
        let answers = [
            passes, #"{"is_consumed":false,"remaining":3}"#, Self.balance(9),
        ].map { WalletServer.Answer(body: $0) }
        try await WalletServer.run(answers) { wallet, server async throws in
            let page = try await wallet.passes(limit: 1)
            #expect(page.nextCursor == "n")
            #expect(page.items.first?.startsAt == Date(timeIntervalSince1970: 1_796_115_600))
            #expect(page.items.first?.history.map(\.reference) == ["door"])
            #expect(try await wallet.consume("a/1", reference: "door 2").remaining == 3)
            let then = Date(timeIntervalSince1970: 1_800_000_000)
            #expect(try await wallet.forecast(at: then).credits == 9)
            #expect(
                server.seen.map { "\($0.method) \($0.path)" } == [
                    "GET /passes?limit=1", "POST /purchases/a%2F1/consume",
                    "GET /balance/forecast?at=2027-01-15T08%3A00%3A00Z",
                ]
            )
            #expect(server.seen[1].body == #"{"reference":"door 2"}"#)
        }
    }

    @Test
    func `a refusal for insufficient credits has everything that a sheet shows`() async throws {
        let body = #"""
            {"type":"https://example.com/problems/insufficient-credits","title":"The balance is too low for the booking","status":402,
            "detail":"You need 15 more credits.","unit":"credit","credits_required":20,"credits_available":5,
            "credits_needed":15,"shortages":[{"unit":"credit","required":20,"available":5,"needed":15}],"offers":{"packs":[
            {"product_id":"starter","name":"Starter","unit":"credit","credits":25,"bonus_credits":0,"total_credits":25,
            "quantity":1,"total_price":{"amount":49,"currency":"USD"},"price":{"amount":49,"currency":"USD"},
            "price_per_credit":1.96,"savings_percentage":0,"is_popular":false,
            "store_ids":{"app_store":"starter","play_store":null,"revenuecat":null}}],"plans":[{"product_id":"explorer",
            "name":"Explorer","tier":1,"period":"P1M","unlimited":false,"unit":"visit","amount":4,"trial_amount":0,
            "covers":false,"price":{"amount":49,"currency":"USD"},
            "store_ids":{"app_store":"explorer","play_store":null,"revenuecat":null}}]}}
            """#
        let answer = WalletServer.Answer(
            status: .init(code: 402),
            headers: [.contentType: "application/problem+json"],
            body: body
        )
        try await WalletServer.run([answer]) { wallet, _ async throws in
            let problem = try await #require(throws: WalletProblem.self) { try await wallet.book(classID: "pottery") }
            let lack = try #require(problem.insufficientCredits)
            #expect(lack.needed == 15 && lack.required == 20 && lack.available == 5 && lack.unit == "credit")
            #expect(lack.shortages.map(\.needed) == [15])
            #expect(lack.offers.packs.map(\.quantity) == [1])
            #expect(lack.offers.packs.first?.pricePerCredit == Decimal(string: "1.96"))
            #expect(lack.offers.packs.first?.totalPrice == lack.offers.packs.first?.price)
            #expect(lack.offers.plans.map(\.coversShortage) == [false])
        }
        try await WalletServer.run([Self.refusal]) { wallet, _ async throws in
            let problem = try await #require(throws: WalletProblem.self) { try await wallet.balance() }
            #expect(problem.insufficientCredits == nil)
        }
    }
}
