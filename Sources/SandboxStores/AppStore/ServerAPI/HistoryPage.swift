import Foundation

/// One page of a customer's transactions, sorted by the time of their last change.
struct HistoryPage: Sendable {
    private static let size = 20

    let transactions: [SandboxTransaction]
    /// The start of the next page; on the last page, the position from which later changes follow.
    let revision: String
    let hasMore: Bool

    /// Creates a page.
    /// - Parameters:
    ///   - all: The transactions, in any order.
    ///   - revision: The revision of the previous page, nil for the first page.
    ///   - isDescending: `true` to sort the last changed first.
    /// - Throws: ``ServerAPIError`` for an invalid revision.
    init(of all: [SandboxTransaction], after revision: String?, isDescending: Bool) throws {
        let sorted = all.sorted { ($0.position < $1.position) != isDescending }
        let rest = try Self.rest(of: sorted, after: revision, isDescending: isDescending)
        self.transactions = Array(rest.prefix(Self.size))
        self.hasMore = rest.count > Self.size
        self.revision = self.transactions.last.map(\.position.revision) ?? revision ?? ""
    }

    private static func rest(
        of sorted: [SandboxTransaction],
        after revision: String?,
        isDescending: Bool
    ) throws -> [SandboxTransaction] {
        guard let revision, !revision.isEmpty else { return sorted }
        guard let last = HistoryPosition(revision: revision) else { throw ServerAPIError.invalidRevision }
        return sorted.filter { isDescending ? $0.position < last : last < $0.position }
    }
}

/// The position of a transaction in a history.
struct HistoryPosition: Comparable, Sendable {
    let milliseconds: Int
    let id: String

    var revision: String { Data("\(self.milliseconds):\(self.id)".utf8).base64URL }

    init(milliseconds: Int, id: String) {
        self.milliseconds = milliseconds
        self.id = id
    }

    init?(revision: String) {
        guard let data = Data(base64URL: revision) else { return nil }
        let parts = String(decoding: data, as: UTF8.self).split(separator: ":")
        guard parts.count == 2, let milliseconds = Int(parts[0]) else { return nil }
        self.init(milliseconds: milliseconds, id: String(parts[1]))
    }

    static func < (left: Self, right: Self) -> Bool {
        (left.milliseconds, left.id) < (right.milliseconds, right.id)
    }
}

extension SandboxTransaction {
    fileprivate var position: HistoryPosition {
        let changes = [self.cancelledAt, self.refundReversedAt, self.upgradedAt].compactMap { $0 }
        let last = changes.reduce(self.purchasedAt, max)
        return HistoryPosition(milliseconds: Int((last.timeIntervalSince1970 * 1_000).rounded()), id: self.id)
    }
}
