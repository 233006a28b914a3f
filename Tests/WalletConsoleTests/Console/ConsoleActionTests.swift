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

    @Test func `a preview is a dry run, a confirmation applies it, and an outdated one is repeated`() async throws {
        let harness = ConsoleHarness()
        let first = String(repeating: "a", count: 64)
        let second = String(repeating: "b", count: 64)
        @Sendable func tried(_ before: Int, _ preview: String) {
            harness.answer(
                "adjustments?dry_run=true",
                #"{"before": {"credits": \#(before), "visits": 0}, "preview": "\#(preview)", "#
                    + #""balance": {"credits": 9007199254740993, "visits": 0}}"#
            )
        }
        tried(30, first)
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
            #expect(harness.asked.filter { $0.method == "POST" }.map(\.path) == ["/operator/adjustments?dry_run=true"])
            #expect(harness.asked.last?.owner == "mia")
            #expect(Browser.value("shown", in: preview) == first)

            // Another operator was faster, so the confirmation changes nothing and a new preview is shown.
            let confirmed = wanted.merging(["step": "do", "shown": first]) { $1 }
            harness.answer(
                "adjustments?preview=\(first)",
                #"{"type": "https://x/problems/preview-outdated", "title": "Changed", "status": 412}"#,
                status: 412
            )
            tried(31, second)
            let again = try await browser.post("/console/actions/adjust", confirmed)
            #expect(String(buffer: again.body).contains("The data changed since the preview."))
            #expect(String(buffer: again.body).contains("<td>31</td>"))
            #expect(Browser.value("shown", in: again) == second)
            #expect(!harness.asked.contains { $0.path == "/operator/adjustments" })

            harness.answer(
                "adjustments?preview=\(second)",
                #"{"before": {"credits": 31, "visits": 0}, "balance": {"credits": 51, "visits": 0}, "preview": null}"#
            )
            let done = try await browser.post("/console/actions/adjust", confirmed.merging(["shown": second]) { $1 })
            #expect(String(buffer: done.body).contains("Balance updated: 31 → 51 credits"))
            #expect(String(buffer: done.body).contains("<td>31</td><td><strong>51</strong></td>"))
            #expect(!String(buffer: done.body).contains(second))
            let sent = try #require(harness.asked.last { $0.method == "POST" })
            #expect(sent.path == "/operator/adjustments?preview=\(second)")
            #expect(
                sent.body
                    == #"{"amount":20,"reason":"it's \"so\"","reference":"\#(Self.key)","unit":"credit","user_id":"ann"}"#
            )
            // A confirmation without a preview changes nothing.
            _ = try await browser.post("/console/actions/adjust", wanted.merging(["step": "do"]) { $1 })
            #expect(harness.asked.last?.path == "/operator/adjustments?dry_run=true")
        }
    }

    @Test func `a user unknown to the wallet needs the operator's confirmation`() async throws {
        let harness = ConsoleHarness()
        harness.answer(
            "adjustments",
            #"{"type": "https://x/problems/user-not-found", "title": "There is no such user", "status": 404}"#,
            status: 404
        )
        try await harness.run { browser in
            try await browser.signIn()
            for action in ["adjust", "gift"] {
                let wanted = try await self.fields(
                    browser,
                    [
                        "user_id": "anm", "environment": "production", "unit": "credit", "amount": "20",
                        "reason": "why", "new_user": "false", "step": "preview",
                    ]
                )
                let refused = String(buffer: try await browser.post("/console/actions/\(action)", wanted).body)
                #expect(refused.contains("There is no such user Check the id."), "\(refused)")
                #expect(refused.contains("<option selected>false</option><option>true</option>"))
                _ = try await browser.post("/console/actions/\(action)", wanted.merging(["new_user": "true"]) { $1 })
                #expect(harness.asked.last?.body.contains(#""new_user":true"#) == true)
            }
        }
    }

    @Test func `a CSV export contains all pages of a list, each with its filters`() async throws {
        let harness = ConsoleHarness()
        let link = "<?user_id=ann&format=csv&limit=100&cursor=n1%2B>; rel=\"next\""
        harness.answer("audit?format=csv&limit=100&user_id=ann", "a,b\r\n1,2\r\n", headers: ["Link": link])
        harness.answer("audit?cursor=n1%2B&format=csv&limit=100&user_id=ann", "a,b\r\n3,4\r\n")
        try await harness.run { browser in
            try await browser.signIn()
            let page = try await browser.get("/console/list/audit?user_id=ann")
            #expect(String(buffer: page.body).contains("/console/list/audit?format=csv&amp;user_id=ann\""))
            let file = try await browser.get("/console/list/audit?format=csv&user_id=ann")
            #expect(String(buffer: file.body) == "a,b\r\n1,2\r\n3,4\r\n")
            #expect(file.headers.value(of: "Link") == nil)
        }
    }

    @Test func `a refused or unreadable input returns the form`() async throws {
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

    @Test func `money actions need a recent sign-in`() async throws {
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
    func `a page offers only the actions that its reader may use`(right: OperatorRight) async throws {
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

    @Test func `an unknown page has its own error page, and an action is not a section`() async throws {
        try await ConsoleHarness().run { browser in
            try await browser.signIn()
            for path in ["/console/none", "/console/list/none", "/console/actions/none", "/console/user/none"] {
                let answer = try await browser.get(path)
                #expect(answer.status == .notFound, "\(path)")
                #expect(answer.headers[.contentType] == "text/html; charset=utf-8")
                #expect(String(buffer: answer.body).contains("The console has no such page."))
                #expect(!String(buffer: answer.body).contains("aria-current"))
            }
            let form = try await browser.get("/console/actions/adjust?user_id=ann")
            #expect(!String(buffer: form.body).contains("aria-current"))
        }
    }

    @Test func `user texts are escaped on every page`() async throws {
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

    @Test func `a service outage is shown, and the rest of the page works`() async throws {
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
