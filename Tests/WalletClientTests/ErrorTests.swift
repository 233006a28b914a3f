import Foundation
import Testing
import WalletClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What errors say to users and to programs.
@Suite
struct ErrorTests {
    @Test
    func `a lost connection keeps what the system gave as the cause`() async throws {
        // Port 1 is closed everywhere.
        let url = try #require(URL(string: "http://127.0.0.1:1"))
        let wallet = WalletClient(baseURL: url, retryPolicy: WalletRetryPolicy(maximumAttempts: 1)) { "t" }
        let error = try await #require(throws: WalletClientError.self) { try await wallet.balance() }
        #expect(error.code == .unreachable)
        #expect((error.underlyingError as? URLError)?.code == .cannotConnectToHost)
        #expect(error.localizedDescription == "The wallet cannot be reached.")
        #expect(error.recoverySuggestion == "Check the connection and try again.")
    }

    @Test
    func `an answer that cannot be read keeps what was wrong with it`() async throws {
        try await WalletServer.run([WalletServer.Answer(body: #"{"packs":1}"#)]) { wallet, _ async throws in
            let error = try await #require(throws: WalletClientError.self) { try await wallet.packs() }
            #expect(error == WalletClientError(.unreadableAnswer))
            #expect(error.underlyingError is DecodingError)
        }
    }

    @Test(arguments: ["wallet", "file:///tmp", "mailto:ann@example.com"])
    func `a base URL that is none is an error of its own`(text: String) async throws {
        let url = try #require(URL(string: text))
        let error = try await #require(throws: WalletClientError.self) {
            try await WalletClient(baseURL: url) { "t" }.balance()
        }
        #expect(error.code == .invalidURL)
    }

    @Test
    func `a problem speaks in its own sentence`() {
        let short = WalletProblem(
            status: 402,
            slug: .insufficientCredits,
            title: "The wallet holds too little",
            detail: "You need 15 more credits."
        )
        #expect(short.localizedDescription == "You need 15 more credits.")
        #expect(short.failureReason == "The wallet holds too little")
        #expect(short.recoverySuggestion == "Buy credits or choose another class.")
        let busy = WalletProblem(status: 503, slug: .walletBusy, title: "The wallet is busy")
        #expect(busy.localizedDescription == "The wallet is busy")
        #expect(busy.recoverySuggestion == "Try again in a moment.")
        #expect(WalletProblem(status: 400, slug: "new", title: "New").recoverySuggestion == nil)
    }
}
