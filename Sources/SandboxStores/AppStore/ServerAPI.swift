import Foundation
import Hummingbird
import JOSE
import JSON
import NIOCore

extension SandboxStores {
    /// Adds the App Store Server API: production at its real paths, the sandbox environment under `/sandbox-api`.
    func addServerAPIRoutes(to router: Router<SandboxContext>) {
        for side in [SandboxTransaction.Environment.production, .sandbox] {
            let group = router.group(side == .production ? "inApps" : "sandbox-api/inApps")
                .add(middleware: FaultMiddleware(faults: self.faults, target: .serverAPI, side: side))
                .add(middleware: ServerAPIAuthentication { await self.authorizes($0) })
                .add(middleware: ServerAPIErrorMiddleware())
            self.addTransactionLookups(of: side, to: group)
            self.addNotificationHistory(of: side, to: group)
            self.addConsumption(of: side, to: group)
        }
    }

    private func addTransactionLookups(
        of side: SandboxTransaction.Environment,
        to group: RouterGroup<SandboxContext>
    ) {
        group.get("v1/transactions/:id") { _, context in
            let transaction = try await self.ledger.appStoreTransaction(context.id, on: side)
            let signed = try await self.writer.signedTransaction(transaction, at: self.ledger.nextInstant)
            return Response.apple(.object(["signedTransactionInfo": .text(signed)]))
        }
        group.get("v2/history/:id") { request, context in
            let filter = HistoryFilter(request.uri.queryParameters)
            let all = try await self.ledger.customerHistory(context.id, on: side).filter(filter.shows)
            var page = try await self.page(of: all, for: request, isDescending: filter.isDescending)
            page.merge(self.application(on: side)) { $1 }
            return Response.apple(.object(page))
        }
        group.get("v2/refund/lookup/:id") { request, context in
            let all = try await self.ledger.customerHistory(context.id, on: side)
            let refunded = all.filter { $0.refundedShare > 0 }
            return Response.apple(.object(try await self.page(of: refunded, for: request, isDescending: false)))
        }
        group.get("v1/subscriptions/:id") { request, context in
            let wanted = Set(request.uri.queryParameters.getAll("status").compactMap { Int($0) })
            let all = try await self.ledger.customerHistory(context.id, on: side)
            var body = self.application(on: side)
            body["data"] = .array(try await self.subscriptions(among: all, with: wanted))
            return Response.apple(.object(body))
        }
    }

    private func page(
        of all: [SandboxTransaction],
        for request: Request,
        isDescending: Bool
    ) async throws -> [String: JSONValue] {
        let revision = request.uri.queryParameters.get("revision")
        let page = try HistoryPage(of: all, after: revision, isDescending: isDescending)
        let now = await self.ledger.nextInstant
        return [
            "signedTransactions": .array(
                try page.transactions.map { .text(try self.writer.signedTransaction($0, at: now)) }
            ),
            "revision": .text(page.revision),
            "hasMore": .bool(page.hasMore),
        ]
    }

    private func subscriptions(among all: [SandboxTransaction], with wanted: Set<Int>) async throws -> [JSONValue] {
        let state = await self.ledger.state
        let now = await self.ledger.nextInstant
        var last: [JSONValue] = []
        for id in Set(all.filter { $0.kind == .subscription }.map(\.originalID)).sorted() {
            guard let newest = state.periods(of: id).last, let chain = state.chains[id] else { continue }
            let status = AppStoreWriter.status(chain, of: newest, at: now)
            guard wanted.isEmpty || wanted.contains(status) else { continue }
            last.append(
                .object([
                    "originalTransactionId": .text(id),
                    "status": .integer(status),
                    "signedTransactionInfo": .text(try self.writer.signedTransaction(newest, at: now)),
                    "signedRenewalInfo": .text(try self.writer.signedRenewal(chain, of: newest, at: now)),
                ])
            )
        }
        guard !last.isEmpty else { return [] }
        let group = AppStoreWriter.subscriptionGroup
        return [.object(["subscriptionGroupIdentifier": .text(group), "lastTransactions": .array(last)])]
    }

    private func application(on side: SandboxTransaction.Environment) -> [String: JSONValue] {
        var body: [String: JSONValue] = [
            "bundleId": .text(self.configuration.bundleID),
            "environment": AppStoreWriter.name(of: side),
        ]
        if side == .production { body["appAppleId"] = .integer(self.configuration.appAppleID) }
        return body
    }
}

extension SandboxLedger {
    /// Returns a transaction from the App Store Server API of one environment.
    /// - Parameters:
    ///   - id: The transaction.
    ///   - side: The called environment.
    /// - Returns: The transaction.
    /// - Throws: ``ServerAPIError`` for an invalid id, and for a transaction of another environment, app or store.
    func appStoreTransaction(_ id: String, on side: SandboxTransaction.Environment) throws -> SandboxTransaction {
        guard !id.isEmpty, id.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            throw ServerAPIError.invalidTransactionID
        }
        guard
            let transaction = self.state.transactions[id],
            transaction.store == .appStore, transaction.environment == side,
            transaction.bundleID == self.defaultBundleID
        else { throw ServerAPIError.transactionNotFound }
        return transaction
    }

    /// Returns all purchases of a transaction's buyer in the same app and environment.
    func customerHistory(_ id: String, on side: SandboxTransaction.Environment) throws -> [SandboxTransaction] {
        let known = try self.appStoreTransaction(id, on: side)
        return self.state.transactions.values.filter { $0.store == .appStore && $0.receiptKey == known.receiptKey }
    }
}

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
private struct HistoryPosition: Comparable, Sendable {
    let milliseconds: Int
    let id: String

    var revision: String { Data("\(self.milliseconds):\(self.id)".utf8).base64URL }

    init(milliseconds: Int, id: String) {
        self.milliseconds = milliseconds
        self.id = id
    }

    init?(revision: String) {
        guard let data = Data(base64URL: revision.utf8) else { return nil }
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

/// An error of the App Store Server API.
struct ServerAPIError: Error {
    let status: HTTPResponse.Status
    let code: Int
    let message: String

    static let badRequest = ServerAPIError(status: .badRequest, code: 4_000_000, message: "Bad request.")
    static let invalidRevision = ServerAPIError(
        status: .badRequest,
        code: 4_000_005,
        message: "Invalid request revision."
    )
    static let invalidTransactionID = ServerAPIError(
        status: .badRequest,
        code: 4_000_006,
        message: "Invalid transaction id."
    )
    static let startAfterEnd = ServerAPIError(
        status: .badRequest,
        code: 4_000_013,
        message: "Invalid request. The end date precedes the start date or the dates are the same."
    )
    static let invalidPaginationToken = ServerAPIError(
        status: .badRequest,
        code: 4_000_014,
        message: "Invalid request. The pagination token is invalid."
    )
    static let invalidCustomerConsented = ServerAPIError(
        status: .badRequest,
        code: 4_000_035,
        message: "Invalid request. The customer consented field is invalid or missing."
    )
    static let transactionNotFound = ServerAPIError(
        status: .notFound,
        code: 4_040_010,
        message: "Transaction id not found."
    )

    func response() throws -> Response {
        let body: JSONValue = .object(["errorCode": .integer(self.code), "errorMessage": .text(self.message)])
        return Response(
            status: self.status,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: try JSONEncoder().encode(body)))
        )
    }
}

/// Converts the API's errors to its own error format.
struct ServerAPIErrorMiddleware: RouterMiddleware {
    func handle(
        _ request: Request,
        context: SandboxContext,
        next: (Request, SandboxContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as ServerAPIError {
            return try error.response()
        }
    }
}
