import Foundation
import Hummingbird
import JSON

/// A query for voided purchases.
struct PlayVoidedQuery {
    private static let reach = 30 * 86_400.0
    private static let largestPage = 1_000

    let from: Date
    let until: Date
    let withSubscriptions: Bool
    let withPartialRefunds: Bool
    let page: Range<Int>

    /// Parses the query.
    /// - Parameters:
    ///   - parameters: The query's parameters.
    ///   - now: The stores' clock; purchases voided more than 30 days before are left out.
    /// - Throws: ``PlayRefusal`` for an invalid time range.
    init(_ parameters: Parameters, now: Date) throws {
        let earliest = now - Self.reach
        self.from = max(try Self.instant("startTime", in: parameters) ?? earliest, earliest)
        self.until = try Self.instant("endTime", in: parameters) ?? now
        guard self.from <= self.until else { throw PlayRefusal.invalidTime }
        self.withSubscriptions = parameters.get("type") == "1"
        self.withPartialRefunds = parameters.get("includeQuantityBasedPartialRefund") == "true"
        let size = parameters.get("maxResults", as: Int.self) ?? Self.largestPage
        let start = min(max(0, parameters.get("token", as: Int.self) ?? 0), 1_000_000)
        self.page = start..<(start + min(max(size, 1), Self.largestPage))
    }

    /// Returns the body of `purchases.voidedpurchases.list`.
    func answer(from state: SandboxState) -> JSONValue {
        let voided = state.transactions.values
            .filter(self.includes)
            .sorted { ($0.cancelledAt ?? $0.purchasedAt, $0.id) < ($1.cancelledAt ?? $1.purchasedAt, $1.id) }
        let shown = voided.dropFirst(self.page.lowerBound).prefix(self.page.count)
        let hasMore = voided.count > self.page.upperBound
        return JSONValue.object([
            "voidedPurchases": .array(shown.map(self.entry)),
            "tokenPagination": hasMore ? ["nextPageToken": .text(String(self.page.upperBound))] : .null,
        ]).withoutNulls
    }

    private func includes(_ transaction: SandboxTransaction) -> Bool {
        guard transaction.store == .googlePlay, let voidedAt = transaction.cancelledAt else { return false }
        guard self.withSubscriptions || transaction.kind != .subscription else { return false }
        guard self.withPartialRefunds || transaction.isUndone else { return false }
        return self.from <= voidedAt && voidedAt <= self.until
    }

    private func entry(of transaction: SandboxTransaction) -> JSONValue {
        let isPartial = self.withPartialRefunds && transaction.kind != .subscription
        return JSONValue.object([
            "kind": "androidpublisher#voidedPurchase",
            "purchaseToken": .optional(transaction.purchaseToken),
            "purchaseTimeMillis": .millisecondsText(transaction.purchasedAt),
            "voidedTimeMillis": .millisecondsText(transaction.cancelledAt),
            "orderId": .optional(transaction.orderID),
            "voidedSource": transaction.isVoidedUnacknowledged ? 2 : 0,
            "voidedReason": transaction.isVoidedUnacknowledged ? 8 : 0,
            "voidedQuantity": isPartial ? .integer(transaction.voidedQuantity) : .null,
        ]).withoutNulls
    }

    private static func instant(_ name: String, in parameters: Parameters) throws -> Date? {
        guard let text = parameters.get(name) else { return nil }
        guard let milliseconds = Int64(text) else { throw PlayRefusal.invalidTime }
        return Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
}
