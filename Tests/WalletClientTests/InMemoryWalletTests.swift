import Foundation
import Testing
import WalletClient
import WalletClientTesting

/// Tests that the in-memory wallet for previews follows the rules that a screen shows.
@Suite
struct InMemoryWalletTests {
    private let wallet: any WalletProtocol = InMemoryWallet()

    @Test
    func `a booking costs its price once per key, and a cancellation returns it`() async throws {
        let intent = BookingIntent(classID: "pottery", maxAmount: 20)
        #expect(try await self.wallet.quote(intent).balanceAfter.credits == 10)
        let first = try await self.wallet.book(intent)
        let again = try await self.wallet.book(intent)
        #expect(!first.isReplayed && again.isReplayed)
        #expect(first.booking == again.booking)
        #expect(again.balance.credits == 10)
        #expect(try await self.wallet.classSession("pottery").seatsLeft == 5)
        #expect(try await self.wallet.bookings(status: .upcoming).items == [first.booking])

        let cancelled = try await self.wallet.cancel(first.booking.id)
        #expect(cancelled.booking.status == .cancelled)
        #expect(cancelled.booking.returned?.amount == 20)
        #expect(cancelled.balance.credits == 30)
        #expect(try await self.wallet.cancel(first.booking.id) == cancelled)
        #expect(try await self.wallet.bookings(status: .upcoming).items.isEmpty)
        #expect(try await self.wallet.classSession("pottery").seatsLeft == 6)
        let entries = try await self.wallet.transactions().items
        #expect(entries.map(\.kind) == [.return, .spend])
        #expect(entries.map(\.balanceAfter) == [30, 10])
    }

    @Test(arguments: [
        ("glass", 1, nil, ProblemSlug.insufficientCredits), ("ceramics", 1, nil, .classFull),
        ("nowhere", 1, nil, .classNotFound), ("pottery", 1, 19, .priceChanged), ("pottery", 7, nil, .classFull),
    ])
    func `an invalid booking is refused and costs nothing`(
        classID: String,
        seats: Int,
        most: Int64?,
        slug: ProblemSlug
    ) async throws {
        let problem = try await #require(throws: WalletProblem.self) {
            try await self.wallet.book(classID: classID, seats: seats, maxAmount: most)
        }
        #expect(problem.slug == slug)
        #expect(try await self.wallet.balance().credits == 30)
    }

    @Test
    func `the refusal for insufficient credits offers a pack, which is granted once`() async throws {
        let problem = try await #require(throws: WalletProblem.self) { try await self.wallet.book(classID: "glass") }
        let lack = try #require(problem.insufficientCredits)
        #expect(lack.needed == 20)
        #expect(lack.offers.packs.map(\.productID) == ["starter", "explorer"])
        let signed = InMemoryWallet.signedTransaction(of: "starter", id: "1")
        let first = try await self.wallet.submit(signedTransaction: signed)
        let again = try await self.wallet.submit(signedTransaction: signed)
        #expect(first.finish == ["1"])
        #expect(first.granted.map(\.isDuplicate) == [false] && again.granted.map(\.isDuplicate) == [true])
        #expect(again.balance.credits == 55)
        #expect(try await self.wallet.purchase("1").remaining == 25)
        #expect(try await self.wallet.book(classID: "glass").balance.credits == 5)
        let unreadable = await #expect(throws: WalletProblem.self) {
            try await self.wallet.submit(signedTransaction: "a.b.c")
        }
        #expect(unreadable?.slug == .malformedReceipt)
    }

    @Test
    func `the stream has each new balance, and stops with its reader`() async throws {
        var balances = self.wallet.balances().makeAsyncIterator()
        #expect(try await balances.next()?.credits == 30)
        _ = try await self.wallet.book(classID: "pottery")
        #expect(try await balances.next()?.credits == 10)
    }

    @Test
    func `a user joins the waitlist of a full class once`() async throws {
        let place = try await self.wallet.joinWaitlist(of: "ceramics")
        #expect(try await self.wallet.joinWaitlist(of: "ceramics") == place)
        #expect(try await self.wallet.bookings().waitlist == [place])
        let problem = await #expect(throws: WalletProblem.self) { try await self.wallet.joinWaitlist(of: "pottery") }
        #expect(problem?.slug == .seatsAvailable)
        try await self.wallet.leaveWaitlist(of: "ceramics")
        #expect(try await self.wallet.bookings().waitlist.isEmpty)
    }

    @Test
    func `the wallet fails on request`() async throws {
        let wallet = InMemoryWallet()
        await wallet.fail(with: WalletClientError(.unreachable))
        await #expect(throws: WalletClientError.self) { try await wallet.book(classID: "pottery") }
        await wallet.fail(with: nil)
        #expect(try await wallet.book(classID: "pottery").balance.credits == 10)
    }

    @Test
    func `values can be stored in a file`() async throws {
        _ = try await self.wallet.book(classID: "pottery")
        let balance = try await self.wallet.balance()
        #expect(try JSONDecoder().decode(Balance.self, from: JSONEncoder().encode(balance)) == balance)
        let page = try await self.wallet.bookings()
        #expect(try JSONDecoder().decode(BookingPage.self, from: JSONEncoder().encode(page)) == page)
        let packs = try await self.wallet.packs()
        #expect(try JSONDecoder().decode([Pack].self, from: JSONEncoder().encode(packs)) == packs)
        #expect(Set(packs.map(\.id)) == ["starter", "explorer"])
    }
}
