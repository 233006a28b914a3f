import HTTPTypes
import Hummingbird
import Stores
import Wallet

/// Turns proofs of purchase into credits.
///
/// - `POST /receipts` (user)
struct ReceiptRoutes {
    let wallet: Wallet
    let appStore: AppStoreReceiptVerifier?
    let limiter: UserRateLimiter

    func add(to group: some RouterMethods<UserRequestContext>) {
        group.post("receipts", use: self.submit)
    }

    @Sendable
    private func submit(_ request: Request, _ context: UserRequestContext) async throws -> JSONAnswer<ReceiptAnswer> {
        do {
            let submission = try await request.json(ReceiptSubmission.self, upTo: BodyLimit.receipts)
            let receipt = try await self.verify(submission, for: context.user)
            let answer = try await self.apply(receipt, naming: submission.transactionID, for: context.user)
            return JSONAnswer(answer, headers: self.limiter.standing(of: context.user).headers)
        } catch {
            guard var problem = Problem(error) else { throw error }
            for field in self.limiter.standing(of: context.user).headers { problem.headers[field.name] = field.value }
            throw problem
        }
    }

    /// Asks the store, at most so often for one user; what the store was not asked about does not count.
    private func verify(_ submission: ReceiptSubmission, for user: UserID) async throws -> VerifiedReceipt {
        switch try submission.proof() {
        case .unsigned:
            throw Problem(.badRequest, "unsigned-transaction", "A transaction that nobody signed proves nothing.")
        case .notEnabled(let form):
            throw Problem.malformed("The form \"\(form)\" is not enabled on this service; send an App Store receipt.")
        case .receipt(let text):
            guard let appStore = self.appStore else {
                throw Problem.malformed("The App Store is not enabled on this service.")
            }
            do {
                return try await appStore.verify(receipt: text) { self.limiter.take(user) }
            } catch {
                guard error.code == .notPermitted else { throw error }
                throw self.limiter.refusal(of: user)
            }
        }
    }

    /// Lets the wallet decide each transaction on its own; what is decided stays decided if a later one fails.
    private func apply(
        _ receipt: VerifiedReceipt,
        naming named: String?,
        for user: UserID
    ) async throws -> ReceiptAnswer {
        let known = receipt.facts.map(\.transactionID) + receipt.skipped.compactMap(\.transactionID)
        guard !receipt.facts.isEmpty || !receipt.skipped.isEmpty, named.map(known.contains) ?? true else {
            throw Problem(.unprocessableContent, "no-purchase-found", "The receipt holds no such purchase.")
        }
        var outcomes: [FactOutcome] = []
        for fact in receipt.facts {
            outcomes.append(try await self.wallet.apply(fact, submittedBy: user))
        }
        try Self.refuseForeign(outcomes, naming: named)
        let environment = WalletEnvironment(receipt.environment)
        return ReceiptAnswer(
            outcomes: outcomes,
            unreadable: receipt.skipped,
            subscriptions: try await self.wallet.subscriptions(of: user, in: environment).subscriptions,
            balance: try await self.wallet.balance(of: user, in: environment),
            environment: environment
        )
    }

    /// Refuses the whole submission only when what it is about, or all of it, is somebody else's.
    private static func refuseForeign(_ outcomes: [FactOutcome], naming named: String?) throws {
        let concerned = named.map { name in outcomes.filter { $0.transactionID == name } } ?? outcomes
        guard !concerned.isEmpty, concerned.allSatisfy(\.isForeign) else { return }
        if concerned.contains(where: { $0.reason == "transaction-already-claimed" }) {
            throw Problem(
                .conflict,
                "transaction-already-claimed",
                "The purchase has been credited to another account."
            )
        }
        throw Problem(.forbidden, "account-token-mismatch", "The purchase was made for another account.")
    }
}
