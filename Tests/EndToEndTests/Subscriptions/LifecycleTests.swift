import Foundation
import TestSupport
import Testing
import WalletClient

/// Tests in which `credit-wallet dev` is stopped and started again.
@Suite struct LifecycleTests {
    @Test(.timeLimit(.minutes(10))) func `dev keeps its data when it restarts on its directory`() async throws {
        let first = try await LiveWallet.start()
        let user = try first.user("lasting")
        let classID = try await first.makeClass(credits: 20)
        let sale = try await first.store.buy(SandboxStore.explorer, for: user.id)
        _ = try await user.client.submitReceipt(sale.receipt)
        let booking = try await user.client.book(classID: classID, idempotencyKey: "mine").booking
        try await first.store.advanceClock(days: 1)
        let clock = try await first.store.now()

        #expect(try await first.program.stop() == 0)
        #expect(try DevDescription.read(in: first.directory) == nil)
        try await expectNoServer(of: first)

        let second = try await LiveWallet.start(in: first.directory)
        let same = try LiveUser(user.id, token: user.token, at: second.description.httpURL)
        #expect(try await same.standing() == Standing(credits: 30, visits: 0, version: 2))
        #expect(try await same.client.booking(booking.bookingID) == booking)
        #expect(try await same.client.book(classID: classID, idempotencyKey: "mine").isReplayed)
        #expect(try await same.submit(sale.receipt)["granted"]?.items.map { $0["duplicate"] } == [true])
        #expect(try await second.store.now() >= clock)
        #expect(try await same.client.balance().asOf >= clock)
        try await second.expectIntactBooks()
        try await second.remove()
    }

    @Test(.timeLimit(.minutes(10))) func `a shutdown completes running requests and accepts no new ones`() async throws
    {
        let wallet = try await LiveWallet.start()
        let user = try wallet.user("unhurried")
        let sale = try await wallet.store.buy(SandboxStore.explorer, for: user.id)
        let calls = try await wallet.store.calls()
        try await wallet.store.fail(["delay_ms": 8_000, "count": 1])
        async let inFlight = user.submit(sale.receipt)
        try await eventually("the store is asked") { try await wallet.store.calls() > calls }

        wallet.program.send(SIGTERM)
        let answer = try await inFlight
        #expect(answer.status == 200)
        #expect(answer["balance", "credits"] == 50)
        #expect(answer.header("connection") == "close")
        #expect(try await wallet.program.exitStatus(within: .seconds(60)) == 0)
        await #expect(throws: (any Error).self) { try await user.send(.get, "/health") }
        try await expectNoServer(of: wallet)

        let again = try await LiveWallet.start(in: wallet.directory)
        let same = try LiveUser(user.id, token: user.token, at: again.description.httpURL)
        #expect(try await same.standing() == Standing(credits: 50, visits: 0, version: 1))
        try await again.remove()
    }

    @Test(.timeLimit(.minutes(10))) func `a killed dev leaves no server behind and loses no data`() async throws {
        let first = try await LiveWallet.start()
        let user = try first.user("unlucky")
        let sale = try await first.store.buy(SandboxStore.explorer, for: user.id)
        _ = try await user.client.submitReceipt(sale.receipt)
        first.program.send(SIGKILL)
        _ = try await first.program.exitStatus(within: .seconds(60))
        try await expectNoServer(of: first)

        let second = try await LiveWallet.start(in: first.directory)
        let same = try LiveUser(user.id, token: user.token, at: second.description.httpURL)
        #expect(try await same.standing() == Standing(credits: 50, visits: 0, version: 1))
        try await second.remove()
    }

    /// Waits until no process of the instance is left; a process of the supervisor ends a moment after `dev`.
    private func expectNoServer(of wallet: LiveWallet) async throws {
        try await eventually("the server ends") { try self.servers(of: wallet).isEmpty }
    }

    /// Returns the processes whose command line contains the instance's directory.
    private func servers(of wallet: LiveWallet) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }.filter { process in
            let line = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") ?? Data()
            return String(decoding: line, as: UTF8.self).contains(wallet.directory)
        }
    }
}
