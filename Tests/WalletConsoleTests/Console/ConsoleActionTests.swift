import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import JSON
import TestSupport
import Testing
import Wallet

@testable import WalletConsole

@Suite(.database) struct ConsoleActionTests {
    private func fields(_ browser: Browser, _ more: [String: String]) async throws -> [String: String] {
        let token = Browser.value("form_token", in: try await browser.get("/console")) ?? ""
        let key = "console-\(UUID().uuidString.lowercased())"
        return ["form_token": token, "key": key].merging(more) { $1 }
    }

    private func adjustment(of user: String, _ more: [String: String] = [:]) -> [String: String] {
        [
            "user_id": user, "environment": "production", "unit": "credit", "amount": "20", "reason": "it's \"so\"",
            "step": "preview",
        ].merging(more) { $1 }
    }

    @Test func `a preview is a dry run, a confirmation applies it, and an outdated one is repeated`() async throws {
        let harness = try ConsoleHarness()
        let user = ConsoleHarness.someone()
        try await harness.run { browser in
            try await harness.give(30, to: user)
            try await browser.signIn()
            let wanted = try await self.fields(browser, self.adjustment(of: user))
            let preview = try await browser.post("/console/actions/adjust", wanted)
            let text = String(buffer: preview.body)
            #expect(text.contains("<td>30</td><td><strong>50</strong></td>"), "\(text)")
            #expect(text.contains("INSERT INTO admin.adjustments"))
            #expect(text.contains("&#39;it&#39;&#39;s &quot;so&quot;&#39;"), "\(text)")
            #expect(text.contains("curl -X POST"))
            #expect(try await harness.credits(of: user) == 30)
            let first = try #require(Browser.value("shown", in: preview))
            #expect(first.count == 64)

            // Another operator was faster, so the confirmation changes nothing and a new preview is shown.
            try await harness.give(1, to: user)
            let confirmed = wanted.merging(["step": "do", "shown": first]) { $1 }
            let again = try await browser.post("/console/actions/adjust", confirmed)
            #expect(String(buffer: again.body).contains("The data changed since the preview."))
            #expect(String(buffer: again.body).contains("<td>31</td>"))
            let second = try #require(Browser.value("shown", in: again))
            #expect(second != first)
            #expect(try await harness.credits(of: user) == 31)

            let done = try await browser.post("/console/actions/adjust", confirmed.merging(["shown": second]) { $1 })
            #expect(String(buffer: done.body).contains("Balance updated: 31 → 51 credits"))
            #expect(String(buffer: done.body).contains("<td>31</td><td><strong>51</strong></td>"))
            #expect(!String(buffer: done.body).contains(second))
            let next = "<a class=\"action\" href=\"/console/user?user_id=\(user)\" autofocus>Open the user</a>"
            #expect(String(buffer: done.body).contains(next))
            #expect(try await harness.credits(of: user) == 51)
            #expect(try await harness.audit(of: user) == ["adjust by mia", "adjust by noa", "adjust by noa"])
            // A confirmation without a preview changes nothing.
            _ = try await browser.post(
                "/console/actions/adjust",
                try await self.fields(browser, self.adjustment(of: user, ["step": "do"]))
            )
            #expect(try await harness.credits(of: user) == 51)
        }
    }

    @Test func `the body for curl has the form's values, and exact amounts are shown`() throws {
        let values = self.adjustment(of: "ann")
        let call = try ActionCall(.adjust, values, key: "console-k", in: .utc)
        #expect(
            call.body.jsonText
                == #"{"amount":20,"reason":"it's \"so\"","reference":"console-k","unit":"credit","user_id":"ann"}"#
        )
        #expect(
            call.curl(to: "https://wallet.example").hasPrefix(
                "curl -X POST 'https://wallet.example/operator/adjustments'"
            )
        )
        let answer = #"{"before": {"credits": 30}, "balance": {"credits": 9007199254740993}}"#
        let changes = [ActionPreview.Change](
            try JSONDecoder().decode(JSONValue.self, from: Data(answer.utf8)),
            in: .utc
        )
        #expect(changes.map(\.after) == ["9007199254740993"])
    }

    @Test func `times of a form are in the studio's time zone`() throws {
        let zone = try #require(StudioTimeZone("Europe/Berlin"))
        let values = [
            "class_id": "c", "title": "Late", "starts_at": "2026-10-25T02:30:00", "minutes": "60", "capacity": "5",
            "reason": "new",
        ]
        func call(_ changes: [String: String]) throws -> ActionCall {
            try ActionCall(.putClass, values.merging(changes) { $1 }, key: "k", in: zone)
        }
        let first = try call([:])
        #expect(first.body["class"]?["starts_at"]?.text == "2026-10-25T00:30:00Z")
        #expect(first.body["class"]?["minutes"]?.number == 60)
        #expect(ActionDescription.putClass.psql(first.values, key: "k").contains("'2026-10-25T00:30:00Z'"))
        // A form that leaves the time of an existing class unchanged does not move the class.
        let second = try call(["starts_at_original": "2026-10-25T01:30:00Z"])
        #expect(second.body["class"]?["starts_at"]?.text == "2026-10-25T01:30:00Z")
        let moved = try call(["starts_at_original": "2026-10-25T01:30:00Z", "starts_at": "2026-10-25T02:45"])
        #expect(moved.body["class"]?["starts_at"]?.text == "2026-10-25T00:45:00Z")
        #expect(throws: ConsoleProblem.self) { try call(["starts_at": "2026-03-29T02:30"]) }
    }

    @Test func `a price is typed and shown in the currency's unit`() throws {
        let values = [
            "product_id": "p", "kind": "pack", "name": "P", "unit": "credit", "price_minor": "12.5", "currency": "EUR",
            "is_active": "true", "is_popular": "false", "unlimited": "false", "grant_source": "purchase",
            "reason": "new",
        ]
        let call = try ActionCall(.putProduct, values, key: "k", in: .utc)
        #expect(call.body["product"]?["price"]?["amount"]?.number == Decimal(string: "12.5"))
        #expect(throws: ConsoleProblem.self) {
            try ActionCall(.putProduct, values.merging(["price_minor": "12.345"]) { $1 }, key: "k", in: .utc)
        }
        let answer = #"{"before": {"price_minor": 17900}, "after": {"price_minor": 18005}}"#
        let changes = [ActionPreview.Change](
            try JSONDecoder().decode(JSONValue.self, from: Data(answer.utf8)),
            in: .utc
        )
        #expect(changes.map { [$0.name, $0.before, $0.after] } == [["price", "179.00", "180.05"]])
    }

    @Test func `a user's name comes before the id, and times are in the studio's time zone`() throws {
        let zone = try #require(StudioTimeZone("America/New_York"))
        let text =
            #"[{"user_id": "u1", "user_name": "Ann <b>", "created_at": "2026-07-01T03:00:00Z", "gross": "1.00"}]"#
        let rows = try JSONDecoder().decode([JSONValue].self, from: Data(text.utf8))
        let table = Table(rows, ["user_id", "created_at"], empty: "", in: zone)
        #expect(table.heads.map(\.label) == ["User", "Created"])
        let cells = try #require(table.rows.first).cells
        #expect([cells[0].text, cells[0].detail, cells[1].text] == ["Ann <b>", "u1", "2026-06-30 23:00"])
        #expect(cells[1].instant == "2026-07-01T03:00:00Z")
    }

    @Test func `columns without news are left out, an amount has its unit, and a class links by its title`() throws {
        let text = """
            [{"class_id": "c1", "class_title": "Yoga", "environment": "production", "unit": "credit", "amount": 20,
            "returned": null, "fee": 0, "strike": false, "attendance": "no_show"},
            {"class_id": "c2", "class_title": "Clay", "environment": "production", "unit": "visit", "amount": 1,
            "returned": null, "fee": 0, "strike": false, "attendance": "attended"}]
            """
        let names = ["class_title", "attendance", "fee", "strike", "environment", "unit", "amount", "returned"]
        var rows = try JSONDecoder().decode([JSONValue].self, from: Data(text.utf8))
        let table = Table(rows, names, empty: "", in: .utc)
        #expect(table.heads.map(\.label) == ["Class", "Attendance", "Amount"])
        #expect(
            table.rows.map { $0.cells.map(\.text) } == [
                ["Yoga", "no-show", "20 credits"], ["Clay", "attended", "1 visit"],
            ]
        )
        #expect(table.rows[0].cells[0].link == "/console/class?class_id=c1")
        #expect(table.rows[0].cells.map(\.label) == ["Class", "Attendance", "Amount"])
        // One row with another environment and a fee shows both columns.
        rows[1].set("sandbox", at: ["environment"])
        rows[1].set(4, at: ["fee"])
        let both = Table(rows, names, empty: "", in: .utc)
        #expect(both.heads.map(\.label) == ["Class", "Attendance", "Fee", "Environment", "Amount"])
    }

    @Test func `the only result of a search opens at once, and several are listed`() async throws {
        let harness = try ConsoleHarness()
        let user = ConsoleHarness.someone()
        try await harness.run { browser in
            try await harness.give(1, to: user)
            try await harness.give(1, to: "\(user)-two")
            try await browser.signIn()
            let only = try await browser.get("/console?text=\(user)-two")
            #expect(only.status == .seeOther)
            #expect(only.headers[.location] == "/console/user?user_id=\(user)-two")
            let several = try await browser.get("/console?text=\(user)")
            #expect(several.status == .ok)
            #expect(String(buffer: several.body).components(separatedBy: ">Open</a>").count == 3)
        }
    }

    @Test func `the audit has a row for a refused confirmation, and none for a refused preview`() async throws {
        let harness = try ConsoleHarness()
        let user = ConsoleHarness.someone()
        // Other tests of the suite run at the same time, as another operator.
        try await harness.run(.oneClick(ConsoleOperator(id: "eva", name: "Eva", right: .operator))) { browser in
            try await harness.give(5, to: user)
            try await browser.signIn()
            let wanted = try await self.fields(browser, self.adjustment(of: user, ["amount": "-50"]))
            let refused = String(buffer: try await browser.post("/console/actions/adjust", wanted).body)
            #expect(refused.contains("Cannot deduct 50 credits; the balance is 5."), "\(refused)")
            let refusals = try await self.refusals(harness)
            let shown = String(repeating: "0", count: 64)
            _ = try await browser.post(
                "/console/actions/adjust",
                wanted.merging(["step": "do", "shown": shown]) { $1 }
            )
            #expect(try await self.refusals(harness) == refusals + 1)
            let large = try await self.fields(browser, self.adjustment(of: user, ["amount": "1001"]))
            let tooLarge = String(buffer: try await browser.post("/console/actions/adjust", large).body)
            #expect(tooLarge.contains("One call can add or deduct at most 1000. maximum 1000"), "\(tooLarge)")
            #expect(try await self.refusals(harness) == refusals + 2)
            #expect(try await harness.credits(of: user) == 5)
        }
    }

    /// Returns the number of refused adjustments of the operator in the audit.
    private func refusals(_ harness: ConsoleHarness) async throws -> Int {
        let filters = ["action": "refused", "actor": "eva", "object_id": "adjustments"]
        return try await harness.wallet.rows(of: .audit, where: filters, page: PageRequest(limit: 100)).items.count
    }

    @Test func `a user unknown to the wallet needs the operator's confirmation`() async throws {
        let harness = try ConsoleHarness()
        try await harness.run { browser in
            try await browser.signIn()
            for action in ["adjust", "gift"] {
                let wanted = try await self.fields(
                    browser,
                    self.adjustment(of: ConsoleHarness.someone(), ["new_user": "false"])
                )
                let refused = String(buffer: try await browser.post("/console/actions/\(action)", wanted).body)
                #expect(refused.contains("There is no such user Check the id."), "\(refused)")
                #expect(refused.contains("<option selected>false</option><option>true</option>"))
                let allowed = try await browser.post(
                    "/console/actions/\(action)",
                    wanted.merging(["new_user": "true"]) { $1 }
                )
                #expect(String(buffer: allowed.body).contains("<td>0</td><td><strong>20</strong></td>"))
                #expect(String(buffer: allowed.body).contains("&quot;new_user&quot;:true"))
            }
        }
    }

    @Test func `a CSV export contains all pages of a list, each with its filters`() async throws {
        let harness = try ConsoleHarness()
        let user = ConsoleHarness.someone()
        try await harness.run { browser in
            for number in 1...101 { try await harness.give(1, to: user, reason: "number \(number)") }
            try await harness.give(1, to: ConsoleHarness.someone())
            try await browser.signIn()
            let page = try await browser.get("/console/list/audit?user_id=\(user)")
            #expect(String(buffer: page.body).contains("/console/list/audit?format=csv&amp;user_id=\(user)\""))
            let file = try await browser.get("/console/list/audit?format=csv&user_id=\(user)&action=adjust")
            let lines = String(buffer: file.body).split(separator: "\r\n")
            #expect(lines.first == OperatorList.audit.columns.map(\.name).joined(separator: ",")[...])
            #expect(lines.count == 102)
            #expect(lines.dropFirst().allSatisfy { $0.contains(user) })
            #expect(Set(lines).count == 102)
            #expect(file.headers[.contentType]?.hasPrefix("text/csv") == true)
            #expect(file.headers.value(of: "Link") == nil)
            // The whole file is one export in the audit.
            let actions = try await harness.audit(of: user).prefix(2)
            #expect(actions == ["export by mia", "read-user by mia"])
        }
    }

    @Test func `a refused or unreadable input returns the form`() async throws {
        let harness = try ConsoleHarness()
        let user = ConsoleHarness.someone()
        try await harness.run { browser in
            try await harness.give(1, to: user)
            try await browser.signIn()
            let booking = try await self.fields(
                browser,
                [
                    "user_id": user, "environment": "production", "booking_id": UUID().uuidString.lowercased(),
                    "reason": "<b>why</b>", "step": "preview",
                ]
            )
            let refused = String(buffer: try await browser.post("/console/actions/cancel-booking", booking).body)
            #expect(refused.contains("There is no such booking"), "\(refused)")
            #expect(refused.contains("&lt;b&gt;why&lt;/b&gt;"))
            let mistyped = try await browser.post(
                "/console/actions/cancel-booking",
                booking.merging(["booking_id": "b"]) { $1 }
            )
            #expect(String(buffer: mistyped.body).contains("must be a UUID; received &quot;b&quot;."))
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

    @Test func `the form of a series has the studio's time zone, and keeps what was typed`() async throws {
        try await ConsoleHarness().run { browser in
            try await browser.signIn()
            let form = String(buffer: try await browser.get("/console/actions/put-series").body)
            #expect(form.contains(#"<input name="time_zone" type="text" value="UTC""#), "\(form)")
            let series = try await self.fields(
                browser,
                [
                    "title": "Flow", "weekdays.monday": "on", "weekdays.friday": "on", "start_time": "18:30",
                    "minutes": "60", "time_zone": "Europe/Atlantis", "from_date": "2030-01-02", "capacity": "8",
                    "price_credits": "20", "policy_id": "strict", "reason": "winter", "step": "preview",
                ]
            )
            let refused = String(buffer: try await browser.post("/console/actions/put-series", series).body)
            #expect(refused.contains("must be UTC or a name such as Europe/Berlin"), "\(refused)")
            #expect(refused.contains(#"value="Europe/Atlantis""#) && refused.contains(#"value="18:30""#))
            #expect(refused.contains(#"name="weekdays.friday" checked"#))
            #expect(refused.contains(#"<details class="more" open>"#) && refused.contains(#"value="strict""#))
        }
    }

    @Test func `money actions need a recent sign-in`() async throws {
        let harness = try ConsoleHarness()
        try await harness.run { browser in
            try await browser.signIn()
            harness.pass(901)
            for action in ActionDescription.all {
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
        let harness = try ConsoleHarness()
        let user = ConsoleHarness.someone()
        let booking: JSONValue = .object(["booking_id": "b", "status": "booked"])
        let claim: JSONValue = .object(["claim_id": .number(9_007_199_254_740_993), "released": false])
        let flag: JSONValue = .object(["flag_id": 1, "resolution": .null])
        let links =
            ActionLinks.links(forBooking: booking, of: user, at: Date(), right: right)
            + ActionLinks.links(forClaim: claim, of: user, right: right)
            + ActionLinks.links(in: .flags, for: flag, at: Date(), right: right)
        let addresses = links.map(\.address).joined(separator: " ")
        #expect(addresses.contains("claim_id=9007199254740993") == (right >= .admin))
        try await harness.run(as: right) { browser in
            try await harness.give(1, to: user)
            try await browser.signIn()
            let page = String(buffer: try await browser.get("/console/user?user_id=\(user)").body)
            for (action, needs, text) in [
                ("set-tester", OperatorRight.support, page), ("adjust", .operator, page), ("gift", .operator, page),
                ("cancel-booking", .support, addresses), ("cancel-booking-in-full", .operator, addresses),
                ("resolve-flag", .operator, addresses), ("release-purchase", .admin, addresses),
            ] {
                #expect(text.contains("/console/actions/\(action)?") == (right >= needs), "\(action)")
            }
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
        let harness = try ConsoleHarness()
        let row = OperatorList.all.flatMap(\.columns).map { ($0.name, JSONValue.text(evil)) }
        let rows = OperatorInterface.Rows(items: [.object(Dictionary(row) { $1 })], next: evil)
        for list in OperatorList.all {
            let page = ConsoleTemplates().draw("list", ListPage(list, rows, harness.visit(), at: Date()))
            #expect(page.contains("&lt;script&gt;alert") && !page.contains("<script>alert"), "\(list.name)")
        }
        let user = ConsoleHarness.someone()
        try await harness.run { browser in
            try await harness.give(1, to: user, reason: evil)
            try await browser.signIn()
            let lists = OperatorList.all.map { "/console/list/\($0.path)?from=\(WebAddress.escaped(evil))" }
            let evilQuery = WebAddress.escaped(evil)
            for path in [
                "/console?text=\(evilQuery)", "/console/user?user_id=\(evilQuery)", "/console/user?user_id=\(user)",
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
        try await ConsoleHarness(hasDatabase: false).run { browser in
            try await browser.signIn()
            let page = try await browser.get("/console/list/audit")
            #expect(page.status.code == 503)
            #expect(String(buffer: page.body).contains("The wallet&#39;s database is unavailable"))
        }
    }
}
