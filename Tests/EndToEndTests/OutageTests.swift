import Foundation
import Postgres
import TestSupport
import Testing
import WalletClient

/// Tests in which PostgreSQL stops, freezes and restarts while `credit-wallet serve` runs.
@Suite(.serialized) struct OutageTests {
    @Test(.timeLimit(.minutes(10))) func `a database outage gives 503, and the service recovers automatically`()
        async throws
    {
        try await withServedWallet { wallet in
            let user = try wallet.user()
            let classID = try await wallet.prepare(credits: 50, for: user)
            #expect(try await wallet.standing(of: user).credits == 50)
            try await wallet.cluster.stop()

            let refused = try await user.book(class: classID, key: "mine")
            #expect(refused.outcome == "503 database-unavailable")
            #expect((refused.retryAfter ?? 0) >= 1)
            #expect(try await user.send(.get, "/balance").outcome == "503 database-unavailable")
            #expect(try await user.send(.get, "/packs").outcome == "503 database-unavailable")
            #expect(try await wallet.answers("/ready", 503))
            #expect(try await wallet.answers("/health", 200))
            // By now the service has noticed the outage, and no longer waits.
            let booking = try await quickest(of: 20, within: .seconds(1)) {
                let again = try await user.book(class: classID, key: "mine")
                #expect(again.outcome == "503 database-unavailable")
            }
            #expect(booking < .seconds(1))
            let reading = try await quickest(of: 20, within: .seconds(1)) {
                let answer = try await user.send(.get, "/balance")
                #expect(answer.outcome == "503 database-unavailable")
            }
            #expect(reading < .seconds(1))
            // Authentication does not need the database.
            #expect(try await user.web.send(.get, "/balance").outcome == "401 unauthenticated")

            try await wallet.cluster.start()
            try await eventually("the service is ready again") {
                try await wallet.answers("/ready", 200)
            }
            #expect(try await user.book(class: classID, key: "mine").outcome == "201")
            #expect(try await user.book(class: classID, key: "mine").isReplayed)
            #expect(try await wallet.standing(of: user) == Standing(credits: 30, visits: 0, version: 2))
        }
    }

    // Guarantee: kept-after-acknowledgement
    @Test(.timeLimit(.minutes(10))) func `a database that dies among bookings leaves one booking a key`() async throws {
        try await withServedWallet { wallet in
            let users = try (0..<30).map { _ in try wallet.user() }
            let classes = try await users.asyncMap { try await wallet.prepare(credits: 20, for: $0) }
            async let all = concurrently(30) { number in
                try await Self.insist(users[number], classes[number], until: .now + .seconds(300))
            }
            try await wallet.cluster.stop()
            try await Task.sleep(for: .seconds(1))
            try await wallet.cluster.start()

            let bookings = try await all
            #expect(Set(bookings).count == 30)
            let standings = try await users.asyncMap { try await wallet.standing(of: $0) }
            #expect(standings.allSatisfy { $0 == Standing(credits: 0, visits: 0, version: 2) })
            let broken = try await wallet.query("SELECT name FROM admin.invariants WHERE violations > 0")
            #expect(broken.isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(10))) func `a request to a frozen database fails in bounded time`() async throws {
        try await withServedWallet { wallet in
            let user = try wallet.user()
            let classID = try await wallet.prepare(credits: 20, for: user)
            #expect(try await wallet.standing(of: user).credits == 20)
            try wallet.cluster.freeze()
            let took = try await ContinuousClock().measure {
                let refused = try await user.book(class: classID, key: "mine")
                #expect(refused.outcome == "503 database-unavailable")
                #expect(try await wallet.answers("/health", 200))
            }
            #expect(took < .seconds(20))
            try wallet.cluster.thaw()
            try await eventually("the service is ready again") {
                try await wallet.answers("/ready", 200)
            }
            // The frozen attempt may have succeeded; the key makes sure that there is one booking either way.
            #expect([200, 201].contains(try await user.book(class: classID, key: "mine").status))
            #expect(try await wallet.standing(of: user) == Standing(credits: 0, visits: 0, version: 2))
        }
    }

    /// Books as the SDK does: retries with the same key until the response is decisive.
    private static func insist(
        _ user: LiveUser,
        _ classID: String,
        until deadline: ContinuousClock.Instant
    ) async throws -> String {
        while ContinuousClock.now < deadline {
            let answer = try await user.book(class: classID, key: "mine")
            if let id = answer["booking", "booking_id"]?.stringValue { return id }
            guard answer.status == 503 else { throw HarnessError("refused: \(answer.outcome)") }
            try await Task.sleep(for: .milliseconds(300))
        }
        throw HarnessError("no booking in time")
    }

    private func withServedWallet(_ body: (ServedWallet) async throws -> Void) async throws {
        let wallet = try await ServedWallet.start()
        do {
            try await body(wallet)
        } catch {
            try await wallet.stop()
            throw error
        }
        try await wallet.stop()
    }
}
