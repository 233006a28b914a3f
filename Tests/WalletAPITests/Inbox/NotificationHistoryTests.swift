import Foundation
import StoreSync
import Stores
import TestSupport
import Testing

@testable import WalletAPI

/// Tests that missed notifications are read from the App Store's history and processed like any other.
@Suite(.database, .serialized) struct NotificationHistoryTests {
    @Test func `notifications of an outage are read once, even after later messages`() async throws {
        try await ServerHarness.withDatabase { server in
            let before = try await Self.begin(server)
            let user = try await ServerHarness.someoneKnown()
            _ = try await server.buy(user, accountToken: user)
            let arrived = try #require(try await server.messages(of: "app_store").last)
            // Twenty-one missed notifications are two pages; the refund is the last one.
            var last = try await server.buy(user, accountToken: user)
            for _ in 0..<20 { last = try await server.buy(user, accountToken: user) }
            _ = try await server.control("transactions/\(last.transactionID)/refund", as: ServerHarness.Sale.self)
            _ = try await server.buy(user, accountToken: user)
            let newest = try #require(try await server.messages(of: "app_store").last)
            #expect(try await server.postAppStore(newest.body).status == 200)
            #expect(try await server.credits(of: user) == 100)

            let history = try #require(server.history)
            try await history.work()
            #expect(try await server.credits(of: user) == 2_200)
            let rows = try await server.inboxRows()
            #expect(rows.count == before + 24)
            #expect(rows.allSatisfy { $0.status == "processed" })

            try await ServerHarness.sql("DELETE FROM wallet.message_histories")
            try await history.work()
            #expect(try await server.postAppStore(arrived.body).status == 200)
            #expect(try await server.inboxRows().count == before + 24)
            #expect(try await server.credits(of: user) == 2_200)
        }
    }

    @Test func `while the store does not answer, the read position does not move`() async throws {
        try await ServerHarness.withDatabase { server in
            _ = try await Self.begin(server)
            let user = try await ServerHarness.someoneKnown()
            _ = try await server.buy(user, accountToken: user)
            try await server.fault(["target": "server_api", "status": 500, "count": 1_000])
            let history = try #require(server.history)
            try await history.work()
            #expect(try await server.credits(of: user) == 0)
            try await server.endFaults()
            try await history.work()
            #expect(try await server.credits(of: user) == 100)
        }
    }

    @Test func `another app's notification does not block the rest`() async throws {
        try await ServerHarness.withDatabase { server in
            let before = try await Self.begin(server)
            let user = try await ServerHarness.someoneKnown()
            _ = try await server.buy(user, more: ["bundle_id": "com.example.other"])
            _ = try await server.buy(user, accountToken: user)
            try await #require(server.history).work()
            #expect(try await server.credits(of: user) == 100)
            #expect(try await server.inboxRows().count == before + 1)
        }
    }

    /// Deletes the read position that another test's stores left.
    ///
    /// - Returns: The number of stored messages.
    private static func begin(_ server: ServerHarness) async throws -> Int {
        try await ServerHarness.sql("DELETE FROM wallet.message_histories")
        return try await server.inboxRows().count
    }
}
