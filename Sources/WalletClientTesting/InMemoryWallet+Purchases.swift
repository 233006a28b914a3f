import Foundation
public import WalletClient

extension InMemoryWallet {
    /// Returns a stand-in for a transaction that the App Store signed.
    /// - Parameters:
    ///   - productID: The product id of the pack.
    ///   - id: The transaction's id.
    /// - Returns: A text that ``submit(_:)`` accepts.
    public static func signedTransaction(of productID: String, id: String) -> String {
        "preview/\(id)/\(productID)"
    }

    /// Grants the pack of a transaction from ``signedTransaction(of:id:)``, at most once.
    public func submit(_ proof: PurchaseProof) throws -> ReceiptResult {
        let contents = try self.answer()
        guard case .signedTransaction(let signed) = proof,
            case let parts = signed.split(separator: "/", maxSplits: 2).map(String.init),
            parts.count == 3, parts[0] == "preview"
        else { throw WalletProblem(status: 400, slug: .malformedReceipt, title: "The receipt cannot be read") }
        let id = parts[1]
        guard let pack = contents.packs.first(where: { $0.productID == parts[2] }) else {
            return self.result(skipped: [ReceiptResult.Skipped(transactionID: id, reason: .unknownProduct)])
        }
        let isKnown = contents.purchases.contains { $0.transactionID == id }
        if !isKnown { self.grant(pack, transactionID: id) }
        let granted = ReceiptResult.Granted(
            transactionID: id,
            productID: pack.productID,
            unit: pack.unit,
            amount: pack.totalCredits,
            isDuplicate: isKnown
        )
        return self.result(granted: [granted], finish: [id])
    }

    /// Throws `no-active-subscription`, because this wallet has no deleted accounts.
    public func restore(_ proof: RestoreProof) throws -> RestoreResult {
        _ = try self.answer()
        throw WalletProblem(
            status: 404,
            slug: .noActiveSubscription,
            title: "There is no active subscription"
        )
    }

    /// Lists all purchases on one page.
    public func purchases(cursor: String?, limit: Int?) throws -> Page<Purchase> {
        Page(items: try self.answer().purchases)
    }

    /// Reads one purchase.
    public func purchase(_ transactionID: String) throws -> Purchase {
        guard let purchase = try self.answer().purchases.first(where: { $0.transactionID == transactionID }) else {
            throw WalletProblem(status: 404, slug: .purchaseNotFound, title: "There is no such purchase")
        }
        return purchase
    }

    /// Reads the subscriptions and entitlements.
    public func subscriptions() throws -> SubscriptionOverview {
        try self.answer().subscriptions
    }

    /// Lists all passes on one page.
    public func passes(cursor: String?, limit: Int?) throws -> Page<Pass> {
        Page(items: try self.answer().passes)
    }

    /// Spends one visit of a pass, at most once for each reference.
    public func consume(_ transactionID: String, reference: String) throws -> ConsumeResult {
        let contents = try self.answer()
        guard let index = contents.passes.firstIndex(where: { $0.transactionID == transactionID }) else {
            throw WalletProblem(status: 404, slug: .purchaseNotFound, title: "There is no such purchase")
        }
        var pass = contents.passes[index]
        if !pass.history.contains(where: { $0.reference == reference }) {
            guard pass.remaining > 0 else {
                throw WalletProblem(status: 409, slug: .alreadyConsumed, title: "The purchase has no visits left")
            }
            pass.remaining -= 1
            pass.history.insert(Pass.Use(reference: reference, amount: 1, usedAt: Date()), at: 0)
            self.update { [pass] in $0.passes[index] = pass }
        }
        return ConsumeResult(isConsumed: pass.remaining == 0, remaining: pass.remaining)
    }

    private func grant(_ pack: Pack, transactionID: String) {
        let purchase = Purchase(
            transactionID: transactionID,
            productID: pack.productID,
            store: .appStore,
            status: .granted,
            isConsumed: false,
            unit: pack.unit,
            granted: pack.totalCredits,
            remaining: pack.totalCredits,
            purchasedAt: Date()
        )
        self.update { contents in
            contents.purchases.insert(purchase, at: 0)
            contents.post(.grant, pack.totalCredits, transaction: transactionID)
        }
    }

    private func result(
        granted: [ReceiptResult.Granted] = [],
        skipped: [ReceiptResult.Skipped] = [],
        finish: [String] = []
    ) -> ReceiptResult {
        ReceiptResult(
            granted: granted,
            skipped: skipped,
            subscriptions: self.contents.subscriptions.subscriptions,
            balance: self.summary,
            environment: self.environment,
            finish: finish
        )
    }
}
