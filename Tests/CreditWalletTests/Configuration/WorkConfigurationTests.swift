import CommandOutput
import Foundation
import Testing
import Wallet
import WalletAPI

@testable import CreditWallet

@Suite struct WorkConfigurationTests {
    private let all: StoreSettings

    init() throws {
        self.all = try StoreSettings()
    }

    @Test func `by default, all background work runs and no events are sent`() async throws {
        let work = try ServiceConfiguration(reader: try await self.all.read(from: ServeConfiguration.environment()))
            .work

        #expect(work.sweepInterval == .seconds(60))
        #expect(work.studioInterval == .seconds(1))
        #expect(work.workInterval == .seconds(5))
        #expect(work.reconcileInterval == .seconds(86_400))
        #expect(work.historyInterval == .seconds(900))
        #expect(work.reconcileMaximumGrants == 20)
        #expect(work.eventsKeptDays == 30)
        #expect(work.quarantineKeptDays == 90)
        #expect(work.warnings == WarningThresholds(lowCredits: 0, lowVisits: 0, expiryDays: 7))
        #expect(work.events == nil)
    }

    @Test func `an interval of 0 switches that work off on this instance`() async throws {
        let settings = try await self.all.read([
            "SWEEP_INTERVAL": "0", "STUDIO_INTERVAL": "0", "WORK_INTERVAL": "0", "RECONCILE_INTERVAL": "0",
            "APPSTORE_HISTORY_INTERVAL": "0",
        ])
        let work = try ServiceConfiguration(reader: settings).work

        #expect(work.sweepInterval == nil && work.workInterval == nil && work.reconcileInterval == nil)
        #expect(work.studioInterval == nil && work.historyInterval == nil)
    }

    @Test func `an operator moves at most 1000 a call and 20000 a day by default`() async throws {
        let unsaid = try ServiceConfiguration(reader: try await self.all.read(from: ServeConfiguration.environment()))
        let said = try ServiceConfiguration(
            reader: try await self.all.read(["OPERATOR_MAXIMUM_AMOUNT": "50", "OPERATOR_DAILY_AMOUNT": "70"])
        )

        #expect(unsaid.http.operatorLimits.maximumAmount == 1_000)
        #expect(said.http.operatorLimits.maximumAmount == 50)
        #expect(unsaid.http.operatorLimits.dailyAmount == 20_000)
        #expect(said.http.operatorLimits.dailyAmount == 70)
    }

    @Test(arguments: [
        ("WORK_INTERVAL", "soon"), ("EVENTS_RETENTION_DAYS", "0"), ("QUARANTINE_RETENTION_DAYS", "0"),
        ("RECONCILE_INTERVAL", "-1"), ("LOW_CREDITS", "-1"), ("EXPIRY_WARNING_DAYS", "400"),
        ("RECONCILE_MAXIMUM_GRANTS", "all"),
    ])
    func `an invalid number is refused by its key`(key: String, value: String) async throws {
        #expect(try await self.all.refusal([key: value])?.message.hasPrefix("\(key) must be") == true)
    }

    @Test(arguments: [
        "http://events.example/hook", "http://127.0.0.1.example/hook", "ftp://127.0.0.1/hook", "events.example",
        "https://",
        "http://user:pass-word-1@10.0.0.1/hook",
    ])
    func `an events address must be https or local, else it is refused and not shown`(url: String) async throws {
        let refusal = try await self.all.refusal(["EVENTS_URL": url, "EVENTS_SECRET": StoreSettings.eventsSecret])

        #expect(refusal?.code == .configuration)
        #expect(refusal?.message.contains("EVENTS_URL") == true)
        #expect(refusal?.message.contains(url) == false)
    }

    @Test(arguments: ["https://events.example/hook", "http://127.0.0.1:1/hook", "http://localhost:1/hook"])
    func `a valid address is accepted`(url: String) async throws {
        #expect(try await self.all.refusal(["EVENTS_URL": url, "EVENTS_SECRET": StoreSettings.eventsSecret]) == nil)
    }

    @Test func `events need a secret`() async throws {
        let refusal = try await self.all.refusal(["EVENTS_URL": "https://events.example/hook"])

        #expect(refusal?.message.hasPrefix("EVENTS_SECRET is missing") == true)
    }

    @Test(arguments: [
        "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0", "whsec_", "whsec_c2hvcnQ=", "whsec_n0t:valid!",
        StoreSettings.eventsSecret + " whsec_c2hvcnQ=",
    ])
    func `an invalid or short secret is refused and not shown`(secret: String) async throws {
        let refusal = try await self.all.refusal([
            "EVENTS_URL": "https://events.example/hook", "EVENTS_SECRET": secret,
        ])

        #expect(refusal?.message.hasPrefix("EVENTS_SECRET must be") == true)
        for word in secret.replacing("whsec_", with: " ").split(separator: " ") {
            #expect(refusal?.message.contains(word) == false)
        }
    }

    @Test func `several secrets sign during a rotation`() async throws {
        let second = "whsec_" + Data(repeating: 8, count: 32).base64EncodedString()
        let settings = try await self.all.read([
            "EVENTS_URL": "https://events.example/hook", "EVENTS_SECRET": "\(StoreSettings.eventsSecret) \(second)",
        ])

        let secrets = try ServiceConfiguration(reader: settings).work.events?.secrets
        #expect(secrets == [Data(repeating: 7, count: 24), Data(repeating: 8, count: 32)])
    }
}
