public import Foundation
public import WalletClient

extension InMemoryWallet {
    /// Reads the current balance.
    public func balance() throws -> Balance {
        try self.answer().balance
    }

    /// Returns the current balance, because nothing expires in this wallet.
    public func forecast(at instant: Date) throws -> Balance {
        try self.answer().balance
    }

    /// Lists the whole ledger on one page.
    public func transactions(cursor: String?, limit: Int?) throws -> Page<LedgerEntry> {
        Page(items: try self.answer().entries)
    }

    /// Lists the packs and passes on sale.
    public func packs() throws -> [Pack] {
        try self.answer().packs
    }

    /// Lists the subscription tiers on sale.
    public func plans() throws -> [Plan] {
        try self.answer().plans
    }

    /// Lists the products on sale, grouped for display.
    public func offers() throws -> [Offering] {
        try self.answer().offerings
    }

    /// Throws `offer-not-found`, because this wallet signs no offers.
    public func offerSignature(productID: String, offerID: String, appAccountToken: UUID?) throws -> OfferSignature {
        _ = try self.answer()
        throw WalletProblem(status: 404, slug: .offerNotFound, title: "There is no such offer")
    }

    /// Lists all classes on one page.
    public func classes(cursor: String?, limit: Int?) throws -> Page<ClassSession> {
        Page(items: try self.answer().classes)
    }

    /// Reads one class.
    public func classSession(_ id: String) throws -> ClassSession {
        guard let session = try self.answer().classes.first(where: { $0.classID == id }) else {
            throw WalletProblem.classNotFound
        }
        return session
    }

    /// Reads the policy of classes.
    public func policy(_ id: String) throws -> Policy {
        guard let policy = try self.answer().policies.first(where: { $0.policyID == id }) else {
            throw WalletProblem(status: 404, slug: .policyNotFound, title: "There is no such policy")
        }
        return policy
    }

    /// Returns the current balance, because this wallet has no anonymous users.
    public func identify(anonymousToken: String) throws -> Balance {
        try self.answer().balance
    }

    /// Clears the user's data and keeps the catalogue and the classes.
    public func deleteAccount() throws {
        let contents = try self.answer()
        self.contents = Contents(
            packs: contents.packs,
            classes: contents.classes,
            plans: contents.plans,
            offerings: contents.offerings
        )
        self.bookingsByKey = [:]
    }
}
