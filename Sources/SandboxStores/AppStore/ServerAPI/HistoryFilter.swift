import Foundation
import Hummingbird

/// The query filter for the transactions of a history.
struct HistoryFilter: Sendable {
    private let productIDs: Set<String>
    private let types: Set<String>
    private let revoked: Bool?
    private let start: Double?
    private let end: Double?
    let isDescending: Bool

    init(_ query: Parameters) {
        self.productIDs = Set(query.getAll("productId", as: String.self))
        self.types = Set(query.getAll("productType", as: String.self))
        self.revoked = query.get("revoked", as: Bool.self)
        self.start = query.get("startDate", as: Double.self)
        self.end = query.get("endDate", as: Double.self)
        self.isDescending = query.get("sort") == "DESCENDING"
    }

    func shows(_ transaction: SandboxTransaction) -> Bool {
        let bought = transaction.purchasedAt.timeIntervalSince1970 * 1_000
        return (self.productIDs.isEmpty || self.productIDs.contains(transaction.productID))
            && (self.types.isEmpty || self.types.contains(Self.type(of: transaction.kind)))
            && (self.revoked == nil || self.revoked == (transaction.cancelledAt != nil))
            && bought >= self.start ?? -.infinity && bought < self.end ?? .infinity
    }

    private static func type(of kind: SandboxProduct.Kind) -> String {
        switch kind {
        case .consumable: "CONSUMABLE"
        case .nonRenewing: "NON_RENEWABLE"
        case .subscription: "AUTO_RENEWABLE"
        }
    }
}
