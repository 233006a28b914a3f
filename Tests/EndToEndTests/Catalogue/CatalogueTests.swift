import Foundation
import Testing
import WalletClient

extension LiveWalletTests {
    @Suite struct CatalogueTests {
        @Test(arguments: [
            ("starter", 25, "49"), ("explorer", 50, "99"), ("enthusiast", 100, "179"), ("power", 200, "299"),
        ])
        func `a pack is sold as the app sells it`(name: String, credits: Int64, price: String) async throws {
            let packs = try await LiveWallet.current.user().client.packs()
            let pack = try #require(packs.first { $0.productID == "com.hobbyist.bookingapp.credits.\(name)" })
            #expect(pack.unit == "credit")
            #expect(pack.totalCredits == credits)
            #expect(pack.price.amount == Decimal(string: price))
            #expect(pack.price.currency == "USD")
            #expect(pack.storeIDs.appStore == pack.productID)
        }

        @Test func `passes are listed after the packs`() async throws {
            let packs = try await LiveWallet.current.user().client.packs()
            #expect(packs.filter { $0.unit == "credit" }.count == 4)
            #expect(Set(packs.filter { $0.unit == "visit" }.map(\.totalCredits)) == [1, 3, 5, 10])
        }

        @Test func `three plans are ranked by tier`() async throws {
            let plans = try await LiveWallet.current.user().client.plans()
            #expect(plans.map(\.tier) == [1, 2, 3])
            #expect(plans.map(\.isUnlimited) == [false, false, true])
            #expect(plans.map { $0.grants?.amount ?? 0 }.prefix(2) == [4, 10])
            #expect(plans.allSatisfy { $0.entitlements == ["premium"] })
        }

        @Test func `demo classes start in the future, with seats and prices`() async throws {
            let client = try LiveWallet.current.user().client
            let classes = try await client.classes(limit: 100).items.filter { $0.classID.hasPrefix("demo-") }
            #expect(Set(classes.compactMap(\.price.credits)) == [20, 30, 40, 50])
            #expect(classes.allSatisfy { $0.startsAt > .now && $0.seatsLeft > 0 })
        }
    }
}
