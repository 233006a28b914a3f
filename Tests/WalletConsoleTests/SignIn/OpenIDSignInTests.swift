import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import JSON
import Logging
import NIOHTTP1
import Synchronization
import TestSupport
import Testing
import Wallet

@testable import WalletConsole

/// Tests of the sign-in at an issuer, from a console page and back.
@Suite(.database) struct OpenIDSignInTests {
    /// A console whose operators sign in at a test issuer, and a browser.
    struct Stage: Sendable {
        let harness: ConsoleHarness
        let issuer: TestIssuer
        let browser: Browser
        let http: HTTPClient

        /// Visits the issuer and returns the address that the issuer redirects the browser to.
        func visitIssuer(_ path: String = "/console/begin-sign-in?return_to=%2Fconsole%2Freports") async throws
            -> String
        {
            let begun = try await self.browser.get(path)
            let request = HTTPClientRequest(url: try #require(begun.headers[.location]))
            let answer = try await self.http.execute(request, timeout: .seconds(60))
            let back = try #require(answer.headers.first(name: "location"))
            #expect(back.hasPrefix("https://wallet.example/console/signed-in?"))
            return String(back.dropFirst("https://wallet.example".count))
        }

        /// Signs in and returns the console's response to the issuer's redirect.
        func signIn(_ path: String = "/console/begin-sign-in?return_to=%2Fconsole%2Freports") async throws
            -> TestResponse
        {
            try await self.browser.get(try await self.visitIssuer(path))
        }
    }

    private static func run(
        timeout: Duration = .seconds(60),
        _ test: @escaping @Sendable (Stage) async throws -> Void
    ) async throws {
        let harness = try ConsoleHarness(isSecure: true)
        let now: @Sendable () -> Date = { harness.now }
        try await TestIssuer.run(now: now) { issuer, http in
            var configuration = OpenIDConfiguration(
                issuer: issuer.url,
                clientID: "console",
                redirectURL: "https://wallet.example/console/signed-in"
            )
            configuration.clientSecret = "a secret"
            configuration.allowsPlainLoopback = true
            configuration.timeout = timeout
            configuration.maximumBytes = 32_768
            let client = try OpenIDClient(configuration, httpClient: http, logger: Logger(label: "console"))
            let signIn = ConsoleConfiguration.SignIn.openID(client) { identity in
                guard identity.claims["groups"]?.items.contains(.text("studio-desk")) == true else { return nil }
                return ConsoleOperator(id: identity.subject, name: identity.name ?? "", right: .support)
            }
            try await harness.run(signIn) { browser in
                try await test(Stage(harness: harness, issuer: issuer, browser: browser, http: http))
            }
        }
    }

    private static func text(_ answer: TestResponse) -> String { String(buffer: answer.body) }

    @Test func `an operator signs in at the issuer, comes back to the page, and signs out`() async throws {
        try await Self.run { stage in
            let first = try await stage.browser.get("/console/reports")
            let page = try await stage.browser.get(try #require(first.headers[.location]))
            #expect(Self.text(page).contains("/console/begin-sign-in?return_to=%2Fconsole%2Freports"))
            let answer = try await stage.signIn()
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == "/console/reports")
            let cookies = answer.headers[values: .setCookie]
            #expect(cookies.count == 2)
            for cookie in cookies {
                for part in ["__Host-", "HttpOnly", "Secure", "SameSite=Lax", "Path=/"] {
                    #expect(cookie.contains(part), "\(cookie)")
                }
            }
            let home = try await stage.browser.get("/console")
            #expect(home.status == .ok)
            #expect(Self.text(home).contains("Jane &lt;b&gt;Doe&lt;/b&gt;"))
            let token = try #require(Browser.value("form_token", in: home))
            let out = try await stage.browser.post("/console/sign-out", ["form_token": token])
            #expect(Self.text(out).contains("\(stage.issuer.url)/end?client_id=console"))
            #expect(try await stage.browser.get("/console").status == .seeOther)
        }
    }

    @Test func `a money action requires a new sign-in, which the issuer must confirm`() async throws {
        try await Self.run { stage in
            _ = try await stage.signIn()
            // The sign-in is an hour old in the issuer's session.
            #expect(try await stage.browser.get("/console/actions/set-tester?user_id=ann").status == .ok)
            let asked = try await stage.browser.get("/console/actions/cancel-booking-in-full?user_id=ann")
            let page = try await stage.browser.get(try #require(asked.headers[.location]))
            #expect(Self.text(page).contains("too long ago for an action that moves money"))
            let again = "/console/begin-sign-in?again=true&return_to=%2Fconsole%2Factions%2Fadjust%3Fuser_id%3Dann"
            stage.issuer.faults.claims["auth_time"] = .number(Decimal(stage.harness.now.timeIntervalSince1970 - 900))
            let remembered = try await stage.signIn(again)
            #expect(remembered.status == .badRequest)
            stage.issuer.faults.claims["auth_time"] = nil
            let answer = try await stage.signIn(again)
            #expect(answer.headers[.location] == "/console/actions/adjust?user_id=ann")
            #expect(try await stage.browser.get("/console/actions/adjust?user_id=ann").status == .ok)
            stage.harness.pass(901)
            #expect(try await stage.browser.get("/console/actions/adjust?user_id=ann").status == .seeOther)
        }
    }

    @Test func `without the authentication time, no operator can move money`() async throws {
        try await Self.run { stage in
            stage.issuer.faults.claims["auth_time"] = .null
            _ = try await stage.signIn()
            #expect(try await stage.browser.get("/console/actions/set-tester?user_id=ann").status == .ok)
            for action in ActionDescription.all where action.movesMoney {
                let page = try await stage.browser.get("/console/actions/\(action.name)")
                #expect(page.status == .forbidden, "\(action.name)")
                #expect(Self.text(page).contains("has no auth_time"), "\(action.name)")
            }
            let again = try await stage.signIn("/console/begin-sign-in?again=true&return_to=%2Fconsole")
            #expect(again.status == .badRequest)
            #expect(Self.text(again).contains("has no auth_time"))
        }
    }

    @Test func `every sign-in requests the authentication time`() async throws {
        try await Self.run { stage in
            for (path, age) in [("", "43200"), ("?again=true", "0")] {
                let begun = try await stage.browser.get("/console/begin-sign-in\(path)")
                #expect(begun.headers[.location]?.contains("&max_age=\(age)") == true, "\(path)")
            }
        }
    }

    @Test func `a step-up ends the previous session`() async throws {
        try await Self.run { stage in
            _ = try await stage.signIn()
            let first = stage.browser.cookie
            _ = try await stage.signIn("/console/begin-sign-in?again=true&return_to=%2Fconsole")
            let second = stage.browser.cookie
            stage.browser.cookie = first
            #expect(try await stage.browser.get("/console").status == .seeOther)
            stage.browser.cookie = second
            #expect(try await stage.browser.get("/console").status == .ok)
        }
    }

    @Test func `an issuer's response is accepted once, in the same browser, within ten minutes`() async throws {
        try await Self.run { stage in
            let back = try await stage.visitIssuer()
            let own = stage.browser.cookie
            stage.browser.cookie = nil
            let elsewhere = try await stage.browser.get(back)
            #expect(elsewhere.status == .badRequest)
            #expect(Self.text(elsewhere).contains("No sign-in is pending in this browser"))
            stage.browser.cookie = own
            #expect(try await stage.browser.get(back).status == .seeOther)
            // The same address again, from the browser's history; its sign-in has ended.
            #expect(try await stage.browser.get(back).status == .badRequest)
            // With the old cookie, the code has been used already.
            stage.browser.cookie = own
            #expect(Self.text(try await stage.browser.get(back)).contains("rejected the code of this sign-in"))
            let late = try await stage.visitIssuer()
            stage.harness.pass(601)
            #expect(Self.text(try await stage.browser.get(late)).contains("longer than ten minutes"))
            let other = try await stage.visitIssuer()
            _ = try await stage.visitIssuer()
            #expect(Self.text(try await stage.browser.get(other)).contains("does not belong to the sign-in"))
        }
    }

    @Test(arguments: [
        ("iss", JSONValue.text("https://evil.example")), ("aud", .text("another")),
        ("aud", .array([.text("console"), .text("another")])), ("azp", .text("another")), ("nonce", .text("another")),
        ("nonce", .null), ("exp", .number(1)), ("exp", .null), ("iat", .number(4_000_000_000)), ("sub", .null),
        ("sub", .text("a\u{202E}b")),
    ])
    func `an ID token for another sign-in is refused`(claim: String, value: JSONValue) async throws {
        try await Self.run { stage in
            stage.issuer.faults.claims[claim] = value
            let answer = try await stage.signIn()
            #expect(answer.status == .badRequest)
            #expect(try await stage.browser.get("/console").status == .seeOther)
        }
    }

    @Test(arguments: [
        TestIssuer.Signing.stranger, .unpublished, .nothing, .publicKeyAsSecret,
    ])
    func `an ID token that the issuer did not sign is refused`(signing: TestIssuer.Signing) async throws {
        try await Self.run { stage in
            stage.issuer.faults.signing = signing
            let answer = try await stage.signIn()
            #expect(answer.status == .badRequest)
            #expect(try await stage.browser.get("/console").status == .seeOther)
        }
    }

    @Test func `a slow, oversized or inconsistent issuer is refused`() async throws {
        // A quick issuer must respond within the timeout, on a busy machine too.
        try await Self.run(timeout: .seconds(8)) { stage in
            stage.issuer.faults.delay = .seconds(24)
            let slow = try await stage.signIn()
            #expect(slow.status == .serviceUnavailable)
            #expect(slow.headers[.retryAfter] == "5")
            stage.issuer.faults.delay = .zero
            stage.issuer.faults.padding = 40_000
            let long = try await stage.signIn()
            #expect(long.status == .serviceUnavailable)
            stage.issuer.faults.padding = 0
            let right = try await stage.signIn()
            #expect(right.status == .seeOther)
        }
        for fault in [
            ("issuer", JSONValue.text("https://evil.example")), ("token_endpoint", .text("http://evil.example/token")),
            ("code_challenge_methods_supported", .array([.text("plain")])),
        ] {
            try await Self.run { stage in
                stage.issuer.faults.discovery = [fault.0: fault.1]
                let begun = try await stage.browser.get("/console/begin-sign-in")
                #expect(begun.status == .serviceUnavailable, "\(fault.0)")
            }
        }
    }

    @Test func `a response from another issuer is refused`() async throws {
        try await Self.run { stage in
            let back = try await stage.visitIssuer()
            for mixed in [
                back.replacing(WebAddress.escaped(stage.issuer.url), with: "https%3A%2F%2Fevil.example"),
                back.replacing("iss=\(WebAddress.escaped(stage.issuer.url))&", with: ""),
            ] {
                let own = stage.browser.cookie
                let answer = try await stage.browser.get(mixed)
                // The request is invalid; the issuer is not unavailable.
                #expect(answer.status == .badRequest, "\(mixed)")
                #expect(Self.text(answer).contains("response is from another issuer"), "\(mixed)")
                stage.browser.cookie = own
            }
        }
    }

    @Test func `declined, unauthorized and too frequent sign-ins show their reason`() async throws {
        try await Self.run { stage in
            stage.issuer.faults.error = "access_denied"
            let declined = try await stage.signIn()
            #expect(Self.text(declined).contains("The sign-in was declined."))
            stage.issuer.faults.error = nil
            stage.issuer.faults.claims["groups"] = .array([.text("everyone")])
            let stranger = try await stage.signIn()
            #expect(stranger.status == .forbidden)
            #expect(Self.text(stranger).contains("You have no access to this console."))
            #expect(try await stage.browser.get("/console").status == .seeOther)
            stage.harness.wait = 7
            let refused = try await stage.browser.get("/console/begin-sign-in")
            #expect(refused.status == .tooManyRequests)
            #expect(refused.headers[.retryAfter] == "7")
        }
    }

    @Test(arguments: ["https://evil.example", "//evil.example", "/\\evil.example", "/console/../v1", ""])
    func `a sign-in leads nowhere but into the console`(place: String) async throws {
        try await Self.run { stage in
            let path = "/console/begin-sign-in" + WebAddress.query(["return_to": place])
            let answer = try await stage.signIn(path)
            #expect(answer.headers[.location] == "/console")
        }
    }

    @Test func `no page contains a code, a verifier or a token`() async throws {
        try await Self.run { stage in
            let answers = [
                try await stage.signIn(), try await stage.browser.get("/console"),
                try await stage.browser.get("/console/signed-in?code=c0de&state=x"),
            ]
            for answer in answers {
                for secret in stage.issuer.secrets + ["c0de"] {
                    #expect(!Self.text(answer).contains(secret))
                    #expect(!answer.headers[values: .setCookie].joined().contains(secret))
                }
            }
        }
    }
}
