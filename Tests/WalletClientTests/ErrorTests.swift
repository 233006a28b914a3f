import Foundation
import Testing
import WalletClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Tests of the errors' messages for users and their values for programs.
@Suite
struct ErrorTests {
    @Test
    func `a lost connection keeps the system's error as the cause`() async throws {
        // Nothing listens on port 1.
        let url = try #require(URL(string: "http://127.0.0.1:1"))
        let wallet = WalletClient(baseURL: url, retryPolicy: WalletRetryPolicy(maximumAttempts: 1)) { "t" }
        let error = try await #require(throws: WalletClientError.self) { try await wallet.balance() }
        #expect(error.code == .unreachable)
        #expect((error.underlyingError as? URLError)?.code == .cannotConnectToHost)
        #expect(error.localizedDescription == "The wallet cannot be reached.")
        #expect(error.recoverySuggestion == "Check the connection and try again.")
    }

    @Test
    func `an unreadable response keeps the decoding error`() async throws {
        try await WalletServer.run([WalletServer.Answer(body: #"{"packs":1}"#)]) { wallet, _ async throws in
            let error = try await #require(throws: WalletClientError.self) { try await wallet.packs() }
            #expect(error == WalletClientError(.unreadableAnswer))
            #expect(error.underlyingError is DecodingError)
        }
    }

    @Test(arguments: ["wallet", "file:///tmp", "mailto:ann@example.com"])
    func `an invalid base URL has its own error`(text: String) async throws {
        let url = try #require(URL(string: text))
        let error = try await #require(throws: WalletClientError.self) {
            try await WalletClient(baseURL: url) { "t" }.balance()
        }
        #expect(error.code == .invalidURL)
    }

    @Test
    func `a problem has its own message`() {
        let short = WalletProblem(
            status: 402,
            slug: .insufficientCredits,
            title: "The balance is too low for the booking",
            detail: "You need 15 more credits."
        )
        #expect(short.localizedDescription == "You need 15 more credits.")
        #expect(short.failureReason == "The balance is too low for the booking")
        #expect(short.recoverySuggestion == "Buy credits or choose another class.")
        let busy = WalletProblem(status: 503, slug: .walletBusy, title: "The wallet is busy")
        #expect(busy.localizedDescription == "The wallet is busy")
        #expect(busy.recoverySuggestion == "Try again in a moment.")
        #expect(WalletProblem(status: 400, slug: "new", title: "New").recoverySuggestion == nil)
    }
}
