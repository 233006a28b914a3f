import Foundation
import StoreSync
import Stores
import TestSupport
import Testing
import Wallet

@testable import WalletAPI

/// Tests of messages that an earlier release could not read.
@Suite(.database, .serialized) struct AwaitingMessageTests {
    @Test(arguments: [StoreEvent.Source.revenueCat, .googlePlay, .appStore])
    func `a message that this release can read is applied once an administrator replays it`(
        _ source: StoreEvent.Source
    ) async throws {
        try await ServerHarness.withDatabase { server in
            let user = try await ServerHarness.someoneKnown()
            let store = source == .googlePlay ? "play_store" : "app_store"
            _ = try await server.buy(user, accountToken: user, separate: true, more: ["store": store])
            let message = try #require(try await server.messages(of: source.rawValue).last)
            try await server.wallet.quarantine(message.body, from: source, id: "sha256:\(user)", reason: "unreadable")
            #expect(try await server.inbox.work(limit: 10) == 0)
            try await ServerHarness.sql("UPDATE admin.webhook_inbox SET status = 'new' WHERE status = 'quarantined'")
            #expect(try await server.inbox.work(limit: 10) >= 1)
            #expect(try await server.credits(of: user) == 100)
            #expect(try await server.inboxRows().last?.status == "processed")
        }
    }

    @Test func `a message that is still unreadable is quarantined again`() async throws {
        try await ServerHarness.withDatabase { server in
            for source in [StoreEvent.Source.revenueCat, .googlePlay, .appStore] {
                try await server.wallet.quarantine(#"{"a":1}"#, from: source, id: "sha256:x", reason: "unreadable")
                try await ServerHarness.sql(
                    """
                    UPDATE admin.webhook_inbox SET status = 'new'
                    WHERE status = 'quarantined' AND source = '\(source.rawValue)'
                    """
                )
                #expect(try await server.inbox.work(limit: 10) >= 1)
                let row = try #require(try await server.inboxRows().last)
                #expect(row.status == "quarantined")
                #expect(row.reason == "unreadable")
            }
        }
    }
}
