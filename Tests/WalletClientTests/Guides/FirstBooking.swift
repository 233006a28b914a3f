import Foundation
import Testing
import WalletClient
import WalletClientTesting

/// Tests the tutorial's steps in order against an in-memory wallet.
@Suite
struct FirstBookingTests {
    @Test
    func `the tutorial ends with a booking`() async throws {
        let code = try await firstBooking(InMemoryWallet(), token: { "token" })
        #expect(code.count == 6)
    }

    private func firstBooking(
        _ wallet: any WalletProtocol,
        token: @escaping @Sendable () async throws -> String
    ) async throws -> String {
        _ = try client(token)
        print(try await wallet.packs().map(\.name), try await wallet.classes().items.map(\.title))
        try await buy(for: wallet, PreviewPurchase())
        return try await book(in: wallet)
    }

    private func client(_ currentToken: @escaping @Sendable () async throws -> String) throws -> WalletClient {
        let url = try #require(URL(string: "http://127.0.0.1:8080"))
        let wallet = WalletClient(baseURL: url) { try await currentToken() }
        return wallet
    }

    private func buy(for wallet: any WalletProtocol, _ result: some StoreTransaction) async throws {
        let receipt = try await wallet.submit(result)
        print("\(receipt.balance.credits) credits")
    }

    private func book(in wallet: any WalletProtocol) async throws -> String {
        let intent = BookingIntent(classID: "pottery", maxAmount: 20)
        do {
            let result = try await wallet.book(intent)
            print("Booked, \(result.booking.confirmationCode), \(result.balance.credits) credits left")
            return result.booking.confirmationCode
        } catch let problem as WalletProblem where problem.slug == .insufficientCredits {
            print("To buy:", problem.insufficientCredits?.offers.packs.map(\.name) ?? [])
            throw problem
        }
    }
}

private struct PreviewPurchase: StoreTransaction {
    let id = "1"
    let signedTransaction = InMemoryWallet.signedTransaction(of: "starter", id: "1")
    func finish() async {}
}
