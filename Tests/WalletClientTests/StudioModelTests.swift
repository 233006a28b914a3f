import Foundation
import StudioSample
import Synchronization
import Testing
import WalletClient
import WalletClientTesting

/// Tests of the sample app's model with an in-memory wallet.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct StudioModelTests {
    private let wallet = InMemoryWallet()

    private func model(
        _ shop: @escaping StudioModel.Shop = { PreviewTransaction(productID: $0.productID) }
    ) async -> StudioModel {
        let model = StudioModel(wallet: self.wallet, shop: shop)
        await model.load()
        return model
    }

    private func session(_ id: String, in model: StudioModel) throws -> ClassSession {
        try #require(model.classes.first { $0.id == id })
    }

    @Test
    func `from the list of classes to a cancelled booking`() async throws {
        let model = await self.model()
        #expect(model.classes.map(\.id) == ["pottery", "glass", "ceramics"])
        await model.book(try self.session("pottery", in: model))
        let booking = try #require(model.bookings.first)
        #expect(model.message == "Booked. Your code is \(booking.confirmationCode).")
        #expect(try self.session("pottery", in: model).seatsLeft == 5)
        await model.cancel(booking)
        #expect(model.message == "Cancelled. Returned: 20.")
        #expect(model.bookings.isEmpty)
    }

    @Test
    func `a user without enough credits buys a pack and gets the class`() async throws {
        let finished = Mutex(0)
        let model = await self.model { offer in
            PreviewTransaction(productID: offer.productID) { finished.withLock { $0 += 1 } }
        }
        await model.book(try self.session("glass", in: model))
        let shortage = try #require(model.shortage)
        #expect(model.message == nil)
        await model.buy(try #require(shortage.offers.packs.first))
        #expect(model.shortage == nil)
        #expect(model.bookings.map(\.classID) == ["glass"])
        #expect(finished.withLock { $0 } == 1)
        #expect(try await self.wallet.balance().credits == 5)
    }

    @Test
    func `a user who cancels in the store keeps the sheet`() async throws {
        let model = await self.model { _ in nil }
        await model.book(try self.session("glass", in: model))
        await model.buy(try #require(model.shortage?.offers.packs.first))
        #expect(model.shortage != nil)
        #expect(model.bookings.isEmpty)
    }

    @Test
    func `after a lost connection the same request is sent again`() async throws {
        let model = await self.model()
        let pottery = try self.session("pottery", in: model)
        await self.wallet.fail(with: WalletClientError(.unreachable))
        await model.book(pottery)
        #expect(model.message == "The wallet cannot be reached.")
        await self.wallet.fail(with: nil)
        await model.book(pottery)
        #expect(model.bookings.count == 1)
    }

    @Test
    func `the balance follows the wallet`() async throws {
        let model = await self.model()
        let following = Task { await model.followBalance() }
        while model.balance == nil { await Task.yield() }
        #expect(model.balance?.credits == 30)
        await model.book(try self.session("pottery", in: model))
        while model.balance?.credits == 30 { await Task.yield() }
        #expect(model.balance?.credits == 10)
        following.cancel()
        await following.value
        #expect(model.message?.hasPrefix("Booked.") == true)
    }
}
