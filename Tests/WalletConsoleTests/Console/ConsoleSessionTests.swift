import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import TestSupport
import Testing
import Wallet

@testable import WalletConsole

@Suite(.database) struct ConsoleSessionTests {
    private func isSignIn(_ answer: TestResponse) -> Bool {
        answer.status == .seeOther && answer.headers[.location]?.hasPrefix("/console/sign-in") == true
    }

    @Test func `a page without a session leads to the sign-in and back`() async throws {
        let harness = try ConsoleHarness()
        let user = ConsoleHarness.someone()
        try await harness.run { browser in
            try await harness.give(1, to: user)
            for path in [
                "/console", "/console/user?user_id=\(user)", "/console/list/audit", "/console/list/audit?format=csv",
                "/console/actions/adjust?user_id=\(user)", "/console/reports", "/console/class?class_id=c",
            ] {
                let answer = try await browser.get(path)
                #expect(self.isSignIn(answer), "\(path)")
                let page = try await browser.get(answer.headers[.location] ?? "")
                #expect(Browser.value("return_to", in: page) == path.replacing("&", with: "&amp;"))
            }
            let posted = try await browser.post("/console/actions/adjust", ["user_id": user])
            #expect(self.isSignIn(posted))
            #expect(try await harness.audit(of: user) == ["adjust by noa"])
        }
    }

    @Test func `a cookie is hidden from scripts and other sites, signed, and invalid after sign-out`() async throws {
        try await ConsoleHarness(isSecure: true).run { browser in
            let answer = try await browser.signIn()
            let set = try #require(answer.headers[.setCookie])
            #expect(set.hasPrefix("__Host-wallet-console="))
            for part in ["HttpOnly", "Secure", "SameSite=Lax", "Path=/"] {
                #expect(set.contains(part), "\(set)")
            }
            let own = try #require(browser.cookie)
            let page = try await browser.get("/console")
            #expect(page.status == .ok)
            #expect(page.headers[.cacheControl] == "no-store")
            // Does not change the last character, because some of its bits are ignored.
            let other = own.dropLast(9).hasSuffix("A") ? "B" : "A"
            for forged in [
                own.dropLast(10) + other + own.suffix(9), own.replacing(".", with: "x."),
                "__Host-wallet-console=e30.e30",
            ] {
                browser.cookie = String(forged)
                #expect(self.isSignIn(try await browser.get("/console")))
            }
            browser.cookie = own
            let token = try #require(Browser.value("form_token", in: page))
            let out = try await browser.post("/console/sign-out", ["form_token": token])
            #expect(out.status == .ok)
            #expect(String(buffer: out.body).contains("Signed out"))
            #expect(browser.cookie == nil)
            browser.cookie = own
            #expect(self.isSignIn(try await browser.get("/console")))
        }
    }

    @Test func `a session of one wallet's console is invalid in another's, and both coexist`() async throws {
        try await ConsoleHarness(isSecure: true, wallet: "eu").run { eu in
            try await ConsoleHarness(isSecure: true, wallet: "us").run { us in
                try await eu.signIn()
                try await us.signIn()
                let (own, others) = try (#require(us.cookie), #require(eu.cookie))
                #expect(own.hasPrefix("__Host-wallet-console-us="))
                #expect(others.hasPrefix("__Host-wallet-console-eu="))
                us.cookie = "\(others); \(own)"
                #expect(try await us.get("/console").status == .ok)
                for cookie in [others, others.replacing("console-eu=", with: "console-us=")] {
                    us.cookie = cookie
                    #expect(self.isSignIn(try await us.get("/console")))
                }
            }
        }
    }

    @Test(arguments: ["console session", "console form", "console sign-in"])
    func `seals of one wallet's console are invalid in another's, and unchanged without wallets`(
        purpose: String
    ) throws {
        let secret = Array("a secret of the console, 32 bytes or more".utf8)
        let seals = ["eu", "us", nil].map { wallet in
            var configuration = ConsoleConfiguration(
                signIn: .oneClick(ConsoleOperator(id: "mia", name: "Mia", right: .admin)),
                secret: secret,
                apiURL: "https://wallet.example"
            )
            configuration.wallet = wallet
            return configuration.seal(for: purpose)
        }
        for (place, seal) in seals.enumerated() {
            let (text, signature) = (try seal.seal("value"), seal.signature(of: "value"))
            for (other, reader) in seals.enumerated() {
                #expect((reader.open(text, as: String.self) == "value") == (place == other), "\(place) \(other)")
                #expect(reader.isSignature(signature, of: "value") == (place == other), "\(place) \(other)")
            }
        }
        #expect(Seal(secret: secret, purpose: purpose).open(try seals[2].seal("value"), as: String.self) == "value")
    }

    @Test func `a session ends after inactivity, and at the latest after a work day`() async throws {
        let harness = try ConsoleHarness()
        try await harness.run { browser in
            try await browser.signIn()
            harness.pass(1_799)
            #expect(try await browser.get("/console").status == .ok)
            harness.pass(1_801)
            #expect(self.isSignIn(try await browser.get("/console")))
            try await browser.signIn()
            for _ in 0..<24 {
                harness.pass(1_790)
                #expect(try await browser.get("/console").status == .ok)
            }
            harness.pass(241)
            #expect(self.isSignIn(try await browser.get("/console")))
        }
    }

    @Test func `a page that refreshes itself does not extend the session`() async throws {
        let harness = try ConsoleHarness()
        try await harness.run { browser in
            try await browser.signIn()
            harness.pass(1_000)
            let answer = try await browser.get("/console", fields: ["X-Requested-With": "refresh"])
            #expect(answer.status == .ok)
            #expect(answer.headers[.setCookie] == nil)
            harness.pass(801)
            #expect(self.isSignIn(try await browser.get("/console")))
        }
    }

    @Test func `a sign-in ends the session that it replaces, and a sign-out leaves none behind`() async throws {
        try await ConsoleHarness().run { browser in
            try await browser.signIn()
            let first = try #require(browser.cookie)
            try await browser.signIn()
            let second = try #require(browser.cookie)
            browser.cookie = first
            #expect(self.isSignIn(try await browser.get("/console")))
            browser.cookie = second
            let token = try #require(Browser.value("form_token", in: try await browser.get("/console")))
            #expect(try await browser.post("/console/sign-out", ["form_token": token]).status == .ok)
            for cookie in [first, second] {
                browser.cookie = cookie
                #expect(self.isSignIn(try await browser.get("/console")))
            }
        }
    }

    @Test func `without the database, pages show an error and a sign-out still removes the cookie`() async throws {
        let harness = try ConsoleHarness()
        try await harness.run { browser in
            try await browser.signIn()
            let cookie = try #require(browser.cookie)
            let token = try #require(Browser.value("form_token", in: try await browser.get("/console")))
            harness.databaseIsDown = true
            for path in ["/console", "/console/list/audit", "/console/actions/adjust"] {
                let page = try await browser.get(path)
                #expect(page.status == .serviceUnavailable, "\(path)")
                #expect(page.headers[.retryAfter] == "1", "\(path)")
                #expect(page.headers[.contentType]?.hasPrefix("text/html") == true, "\(path)")
                #expect(browser.cookie == cookie, "\(path)")
            }
            // A sign-in must end the previous session first, so it fails too.
            #expect(try await browser.signIn().status == .serviceUnavailable)
            #expect(try await browser.post("/console/sign-out", ["form_token": "x"]).status == .forbidden)
            #expect(browser.cookie == cookie)
            let out = try await browser.post("/console/sign-out", ["form_token": token])
            #expect(out.status == .serviceUnavailable)
            #expect(String(buffer: out.body).contains("signed out in this browser only"))
            harness.databaseIsDown = false
            #expect(self.isSignIn(try await browser.get("/console")))
        }
    }

    @Test func `a page forwards the service's Retry-After`() async throws {
        try await ConsoleHarness(hasDatabase: false).run { browser in
            try await browser.signIn()
            #expect(try await browser.get("/console/list/audit").headers[.retryAfter] == "2")
        }
        #expect(ConsoleProblem(WalletError(status: 503, slug: "overloaded", retryAfter: 7)).retryAfter == 7)
    }

    @Test func `each sign-in creates a new session`() async throws {
        try await ConsoleHarness().run { browser in
            try await browser.signIn()
            let first = try #require(browser.cookie)
            try await browser.signIn()
            #expect(browser.cookie != first)
        }
    }

    @Test(arguments: [
        "https://evil.example", "//evil.example", "/\\evil.example", "/console//evil.example", "/consoles",
        "/console/../v1", "/console?x=\r\nSet-Cookie: a=b", "", "javascript:alert(1)",
    ])
    func `a sign-in leads nowhere but into the console`(place: String) async throws {
        try await ConsoleHarness().run { browser in
            let answer = try await browser.post("/console/sign-in", ["return_to": place])
            #expect(answer.headers[.location] == "/console")
        }
    }

    @Test func `a form needs a token of its own session`() async throws {
        let harness = try ConsoleHarness()
        let user = ConsoleHarness.someone()
        try await harness.run { browser in
            try await browser.signIn()
            let others = try #require(Browser.value("form_token", in: try await browser.get("/console")))
            try await browser.signIn()
            try await harness.give(1, to: user)
            let form = [
                "user_id": user, "tester": "true", "reason": "why", "step": "do",
                "key": "console-\(UUID().uuidString.lowercased())", "shown": String(repeating: "a", count: 64),
            ]
            for token in [others, "", "x"] {
                for path in ["/console/actions/set-tester", "/console/sign-out"] {
                    let answer = try await browser.post(path, form.merging(["form_token": token]) { $1 })
                    #expect(answer.status == .forbidden, "\(path)")
                }
            }
            #expect(try await browser.get("/console").status == .ok)
            #expect(try await harness.audit(of: user) == ["adjust by noa"])
        }
    }
}
