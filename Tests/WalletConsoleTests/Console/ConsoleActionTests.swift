import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing
import Wallet

@testable import WalletConsole

@Suite struct ConsoleActionTests {
    private static let key = "console-00000000-0000-0000-0000-000000000000"

    private func fields(_ browser: Browser, _ more: [String: String]) async throws -> [String: String] {
        let token = Browser.value("form_token", in: try await browser.get("/console")) ?? ""
        return ["form_token": token, "key": Self.key].merging(more) { $1 }
    }

    @Test func `a preview tries, what is shown is done, and a preview that is overtaken is shown again`() async throws {
        let harness = ConsoleHarness()
        harness.answer("balance", #"{"credits": 30, "visits": 0}"#)
        harness.answer("adjustments", #"{"balance": {"credits": 9007199254740993, "visits": 0}}"#)
        try await harness.run { browser in
            try await browser.signIn()
            let wanted = try await self.fields(
                browser,
                [
                    "user_id": "ann", "environment": "production", "unit": "credit", "amount": "20",
                    "reason": "it's \"so\"",
                ]
            )
            let preview = try await browser.post("/console/actions/adjust", wanted.merging(["step": "preview"]) { $1 })
            let text = String(buffer: preview.body)
            #expect(text.contains("<td>30</td><td><strong>9007199254740993</strong></td>"), "\(text)")
            #expect(text.contains("INSERT INTO admin.adjustments"))
            #expect(text.contains("&#39;it&#39;&#39;s &quot;so&quot;&#39;"), "\(text)")
            #expect(text.contains("curl -X POST"))
            let posts = harness.asked.filter { $0.method == "POST" }
            #expect(posts.map(\.path) == ["/operator/adjustments?dry_run=true"])
            #expect(posts.first?.owner == "mia")
            let shown = try #require(Browser.value("shown", in: preview))

            harness.answer("balance", #"{"credits": 31, "visits": 0}"#)
            let confirmed = wanted.merging(["step": "do", "shown": shown]) { $1 }
            let again = try await browser.post("/console/actions/adjust", confirmed)
            #expect(String(buffer: again.body).contains("Something has changed since"))
            #expect(!harness.asked.contains { $0.path == "/operator/adjustments" })

            harness.answer("balance", #"{"credits": 30, "visits": 0}"#)
            let done = try await browser.post("/console/actions/adjust", confirmed)
            #expect(String(buffer: done.body).contains("Adjust the wallet: done"))
            let sent = try #require(harness.asked.last { $0.method == "POST" })
            #expect(sent.path == "/operator/adjustments")
            #expect(
                sent.body
                    == #"{"amount":20,"reason":"it's \"so\"","reference":"\#(Self.key)","unit":"credit","user_id":"ann"}"#
            )
        }
    }

    @Test func `what is refused or cannot be read comes back with the form`() async throws {
        let harness = ConsoleHarness()
        harness.answer(
            "actions/cancel-booking",
            #"{"type": "https://x/problems/not-cancellable", "title": "The booking cannot be cancelled", "status": 409}"#,
            status: 409
        )
        try await harness.run { browser in
            try await browser.signIn()
            let booking = try await self.fields(
                browser,
                [
                    "user_id": "ann", "environment": "production", "booking_id": "b", "reason": "<b>why</b>",
                    "step": "preview",
                ]
            )
            let refused = String(buffer: try await browser.post("/console/actions/cancel-booking", booking).body)
            #expect(refused.contains("The booking cannot be cancelled"))
            #expect(refused.contains("&lt;b&gt;why&lt;/b&gt;"))
            let empty = try await browser.post(
                "/console/actions/cancel-booking",
                booking.merging(["reason": ""]) { $1 }
            )
            #expect(String(buffer: empty.body).contains("Reason is missing."))
            let keyless = try await browser.post(
                "/console/actions/cancel-booking",
                booking.merging(["key": "k"]) { $1 }
            )
            #expect(keyless.status == .badRequest)
        }
    }

    @Test func `money moves only soon after a sign-in`() async throws {
        let harness = ConsoleHarness()
        try await harness.run { browser in
            try await browser.signIn()
            harness.pass(901)
            for action in ConsoleAction.all {
                let answer = try await browser.get("/console/actions/\(action.name)?user_id=ann")
                #expect((answer.status == .seeOther) == action.movesMoney, "\(action.name)")
                let posted = try await browser.post(
                    "/console/actions/\(action.name)",
                    try await self.fields(browser, ["step": "do"])
                )
                #expect((posted.status == .seeOther) == action.movesMoney, "\(action.name)")
            }
        }
    }

    @Test(arguments: OperatorRight.allCases)
    func `a page offers what its reader may do`(right: OperatorRight) async throws {
        let harness = ConsoleHarness()
        harness.answer("bookings", #"{"bookings": [{"booking_id": "b", "status": "booked"}]}"#)
        harness.answer("claims", #"{"claims": [{"claim_id": 9007199254740993, "released": false}]}"#)
        harness.answer("flags", #"{"flags": [{"flag_id": 1, "resolution": null}]}"#)
        try await harness.run(as: right) { browser in
            try await browser.signIn()
            let page = String(buffer: try await browser.get("/console/user?user_id=ann").body)
            for (action, needs) in [
                ("set-tester", OperatorRight.support), ("adjust", .operator), ("gift", .operator),
                ("cancel-booking", .support), ("cancel-booking-in-full", .operator), ("resolve-flag", .operator),
                ("release-purchase", .admin),
            ] {
                #expect(page.contains("/console/actions/\(action)?") == (right >= needs), "\(action)")
            }
            #expect(page.contains("claim_id=9007199254740993") == (right >= .admin))
        }
    }

    @Test func `texts of others stay texts, on every page`() async throws {
        let evil = #"</td><script>alert(1)</script>"#
        let harness = ConsoleHarness()
        let row = OperatorList.all.flatMap(\.columns).map { "\"\($0.name)\": \"\(evil)\"" }
        let object = "{\(Set(row).joined(separator: ", "))}"
        for list in OperatorList.all {
            harness.answer(list.route, "{\"\(list.name)\": [\(object)], \"next_cursor\": \"\(evil)\"}")
        }
        harness.answer("timeline", "{\"facts\": [{\"fact\": \"\(evil)\", \"reason\": \"\(evil)\"}]}")
        harness.answer("search", "{\"hits\": [{\"kind\": \"\(evil)\", \"id\": \"\(evil)\", \"user_id\": \"\(evil)\"}]}")
        try await harness.run { browser in
            try await browser.signIn()
            let lists = OperatorList.all.map { "/console/list/\($0.path)?from=\(WebAddress.escaped(evil))" }
            let evilQuery = WebAddress.escaped(evil)
            for path in [
                "/console?text=\(evilQuery)", "/console/user?user_id=\(evilQuery)",
                "/console/class?class_id=\(evilQuery)",
                "/console/reports", "/console/actions/adjust?user_id=\(evilQuery)",
                "/console/sign-in?return_to=\(evilQuery)",
            ] + lists {
                let page = try await browser.get(path)
                #expect(!String(buffer: page.body).contains("<script>alert"), "\(path)")
                guard page.status == .ok else { continue }
                #expect(page.headers[.contentSecurityPolicy]?.contains("'unsafe-inline'") == false)
            }
        }
    }

    @Test func `a service that does not answer is said to, and nothing else breaks`() async throws {
        let harness = ConsoleHarness()
        harness.answer("audit", #"{"title": "The database does not answer"}"#, status: 503)
        try await harness.run { browser in
            try await browser.signIn()
            let page = try await browser.get("/console/list/audit")
            #expect(page.status.code == 503)
            #expect(String(buffer: page.body).contains("The database does not answer"))
        }
    }
}
