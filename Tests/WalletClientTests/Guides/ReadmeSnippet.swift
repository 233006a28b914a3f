import Foundation
import Testing
import WalletClient

/// The code of README.md with the surrounding code of an app, so that it is compiled.
private struct ReadmeSnippet {
    struct Session {
        var accessToken: String { get async throws { "token" } }
    }

    let session = Session()
    let lesson: ClassSession
    let transaction: any StoreTransaction

    func run() async throws {
        // swift-format-ignore: NeverForceUnwrap
        let wallet = WalletClient(baseURL: URL(string: "https://wallet.example.com")!) { try await session.accessToken }

        // StoreKit 2: finishes the transaction once the wallet has decided on it.
        try await wallet.submit(transaction)

        do {
            let result = try await wallet.book(classID: lesson.classID, maxAmount: lesson.price.credits)
            show(result.booking.confirmationCode, result.balance.credits)
        } catch let problem as WalletProblem {
            if let short = problem.insufficientCredits {
                sell(short.offers.packs)
            } else {
                show(problem.localizedDescription)
            }
        }
    }

    private func show(_ text: String, _ credits: Int64 = 0) {}
    private func sell(_ packs: [InsufficientCredits.PackOffer]) {}
}
