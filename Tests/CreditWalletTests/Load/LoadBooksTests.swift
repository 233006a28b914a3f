import Foundation
import NIOCore
import Postgres
import TestSupport
import Testing
import Wallet

@testable import CreditWallet
@testable import WalletLoad

@Suite struct LoadBooksTests {

    private static func tally(_ answers: [(LoadStep.Kind, Int, UUID?)]) -> LoadStatistics {
        var tally = LoadStatistics()
        for (kind, status, id) in answers {
            let isCancellation = if case .cancellation = kind { true } else { false }
            let number = isCancellation ? tally.sent - 1 : tally.sent
            let pick = LoadPicker.Pick(user: 0, classIndex: 0)
            let step = LoadStep(kind: kind, number: number, pick: pick, intended: .now(), sent: .now())
            tally.noteSent(step)
            let answer = LoadAnswer(status: status, slug: nil, bookingID: id, closes: false)
            tally.note(answer, to: step, at: .now())
        }
        return tally
    }

    /// Creates a booking with the key `load-x-0`, checks it against the given responses, and returns the faults.
    private func faults(_ answers: (UUID) -> [(LoadStep.Kind, Int, UUID?)]) async throws -> [String] {
        let pool = Pool(configuration: .books(url: try TestDatabase.current.url), logger: .silent)
        let database = DevelopmentDatabase(pool: pool)
        try await database.addUsers("load-x-user-", count: 1, credits: 5)
        try await database.addClasses("load-x-class-", count: 1, capacity: 5)
        let wallet = Wallet(pool: pool)
        let receipt = try await wallet.book(
            BookingRequest(classID: "load-x-class-1"),
            for: UserID(rawValue: "load-x-user-1"),
            in: .production,
            key: "load-x-0"
        )
        let tally = Self.tally(answers(receipt.booking.bookingID))
        let findings = try await LoadBooks(wallet: wallet).check(tally, keyPrefix: "load-x-")
        await pool.close()
        #expect(findings.found == 1)
        #expect(findings.faultCount == findings.faults.count)
        return findings.faults
    }

    @Test(.database) func `a booking that matches its response is in order`() async throws {
        #expect(try await self.faults { [(.booking, 201, $0)] } == [])
    }

    @Test(.database, arguments: [500, 503]) func `a booking with an undecided response may exist`(status: Int)
        async throws
    {
        #expect(try await self.faults { _ in [(.booking, status, nil)] } == [])
    }

    @Test(.database) func `a refused booking must not exist`() async throws {
        #expect(
            try await self.faults { _ in [(.booking, 409, nil)] } == [
                "load-x-0: refused by the service, but in the books"
            ]
        )
    }

    @Test(.database) func `a confirmed booking must exist`() async throws {
        let faults = try await self.faults { [(.booking, 201, $0), (.booking, 201, UUID())] }
        #expect(faults == ["load-x-1: confirmed by the service, but not in the books"])
    }

    @Test(.database) func `a booking must have the id of its response`() async throws {
        let faults = try await self.faults { _ in [(.booking, 201, UUID())] }
        #expect(faults == ["load-x-0: booking_id in the books differs from the response"])
    }

    @Test(.database) func `a booking that was never requested must not exist`() async throws {
        #expect(try await self.faults { _ in [] } == ["load-x-0: in the books, but never sent"])
    }

    @Test(.database) func `a confirmed cancellation must have happened`() async throws {
        let cancelled = try await self.faults { [(.booking, 201, $0), (.cancellation(of: $0), 200, $0)] }
        #expect(cancelled == ["load-x-0: booked in the books, but cancelled in the response"])
    }

    @Test(.database) func `a cancellation with an undecided response may have happened`() async throws {
        #expect(try await self.faults { [(.booking, 201, $0), (.cancellation(of: $0), 503, nil)] } == [])
    }

    @Test(.database) func `load refuses to create data in a database of real users`() async throws {
        let pool = Pool(configuration: .books(url: try TestDatabase.current.url), logger: .silent)
        try await pool.query("UPDATE wallet.instance SET kind = 'production'")
        let development = DevelopmentDatabase(pool: pool)
        let refusal = WalletError(status: 409, slug: "database-is-production")
        await #expect(throws: refusal) { try await development.addUsers("load-", count: 1, credits: 1) }
        await #expect(throws: refusal) { try await development.addClasses("load-", count: 1, capacity: 1) }
        let rows = try await pool.query(
            "SELECT (SELECT count(*) FROM wallet.accounts) + (SELECT count(*) FROM wallet.classes) AS made"
        )
        #expect(try rows.first?.decode("made") == Int64(0))
        await pool.close()
    }
}
