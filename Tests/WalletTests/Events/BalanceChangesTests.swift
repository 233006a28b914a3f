import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing
import Wallet

/// Tests that all followers of a wallet receive its changes, through one connection however many follow.
@Suite(.timeLimit(.minutes(10))) struct BalanceChangesTests {
    /// The updates that followers received, by the follower's name.
    private final class Heard: Sendable {
        private let state = Mutex<[String: [Int64]]>([:])

        func record(_ name: String) -> @Sendable (BalanceUpdate) -> Void {
            { update in
                self.state.withLock { state in
                    switch update {
                    case .balance(let balance): state[name, default: []].append(balance.credits)
                    case .gone: state[name, default: []].append(-1)
                    }
                }
            }
        }

        func last(_ name: String) -> Int64? { self.state.withLock { $0[name]?.last } }

        func count(_ name: String) -> Int { self.state.withLock { $0[name]?.count ?? 0 } }

        func wait(until isSo: () -> Bool) async throws {
            while !isSo() { try await Task.sleep(for: .milliseconds(10)) }
        }
    }

    private func run(
        connections: Int = 4,
        _ test: (BalanceChanges, WalkDatabase) async throws -> Void
    ) async throws {
        try await withWalkDatabase(connections: connections) { database in
            let changes = BalanceChanges(
                wallet: database.wallet,
                interval: .milliseconds(20),
                logger: .silent
            )
            let running = Task { try await changes.run() }
            try await test(changes, database)
            running.cancel()
            try await running.value
        }
    }

    @Test func `a wallet with many followers is read once, and hundreds need one connection`() async throws {
        try await self.run(connections: 1) { changes, database in
            let heard = Heard()
            var held: [BalanceSubscription] = []
            for number in 0..<300 {
                let user = UserID(rawValue: "user-\(number / 2)")
                let name = "follower-\(number)"
                held.append(try await changes.follow(user, in: .production, onUpdate: heard.record(name)))
            }
            let names = (0..<300).map { "follower-\($0)" }
            try await heard.wait { names.allSatisfy { heard.last($0) == 0 } }
            try await database.buy(WalkDatabase.pack("starter"), for: UserID(rawValue: "user-7"), "1")
            try await heard.wait { heard.last("follower-14") == 25 && heard.last("follower-15") == 25 }
            #expect(heard.last("follower-16") == 0)
            #expect(held.count == 300)
        }
    }

    @Test func `a follower that unsubscribed receives no further updates`() async throws {
        try await self.run { changes, database in
            let heard = Heard()
            let ben = try await changes.follow(.ben, in: .production, onUpdate: heard.record("ben"))
            var anna: BalanceSubscription? = try await changes.follow(
                .anna,
                in: .production,
                onUpdate: heard.record("anna")
            )
            try await heard.wait { ["ben", "anna"].allSatisfy { heard.last($0) == 0 } }
            #expect(anna != nil)
            anna = nil
            // An update that was already under way may still arrive.
            try await Task.sleep(for: .milliseconds(100))
            let before = heard.count("anna")
            try await database.buy(for: .ben, "1")
            try await database.buy(for: .anna, "2")
            try await heard.wait { heard.last("ben") == 200 }
            #expect(heard.count("anna") == before)
            withExtendedLifetime(ben) {}
        }
    }

    @Test func `followers of a deleted user receive the end of the account`() async throws {
        try await self.run { changes, database in
            let heard = Heard()
            let anna = try await changes.follow(.anna, in: .production, onUpdate: heard.record("anna"))
            try await heard.wait { heard.last("anna") == 0 }
            try await database.wallet.deleteAccount(of: .anna)
            try await heard.wait { heard.last("anna") == -1 }
            withExtendedLifetime(anna) {}
        }
    }

    @Test func `no update is lost while the database does not respond`() async throws {
        try await self.run(connections: 1) { changes, database in
            let heard = Heard()
            let anna = try await changes.follow(.anna, in: .production, onUpdate: heard.record("anna"))
            try await heard.wait { heard.last("anna") == 0 }
            // Refuses new connections and terminates the existing ones.
            let name = Query.quoted(database.database.name)
            try await database.root.query("ALTER DATABASE \(unescaped: name) CONNECTION LIMIT 0")
            try await database.root.query(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND usename = 'wallet_service'
                """
            )
            try await database.root.query(
                """
                INSERT INTO admin.adjustments (user_id, amount, reference, reason, new_user)
                VALUES ('anna', 9, 'away', 'a test', TRUE)
                """
            )
            try await Task.sleep(for: .milliseconds(300))
            #expect(heard.last("anna") == 0)
            try await database.root.query("ALTER DATABASE \(unescaped: name) CONNECTION LIMIT -1")
            try await heard.wait { heard.last("anna") == 9 }
            withExtendedLifetime(anna) {}
        }
    }
}
