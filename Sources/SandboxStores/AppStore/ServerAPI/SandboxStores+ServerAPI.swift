import Foundation
import Hummingbird

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
            return try Response.apple(.object(["signedTransactionInfo": .text(signed)]))
        }
        group.get("v2/history/:id") { request, context in
            let filter = HistoryFilter(request.uri.queryParameters)
            let all = try await self.ledger.customerHistory(context.id, on: side).filter(filter.shows)
            var page = try await self.page(of: all, for: request, isDescending: filter.isDescending)
            page.merge(self.application(on: side)) { $1 }
            return try Response.apple(.object(page))
        }
        group.get("v2/refund/lookup/:id") { request, context in
            let all = try await self.ledger.customerHistory(context.id, on: side)
            let refunded = all.filter { $0.refundedShare > 0 }
            return try Response.apple(.object(try await self.page(of: refunded, for: request, isDescending: false)))
        }
        group.get("v1/subscriptions/:id") { request, context in
            let wanted = Set(request.uri.queryParameters.getAll("status").compactMap { Int($0) })
            let all = try await self.ledger.customerHistory(context.id, on: side)
            var body = self.application(on: side)
            body["data"] = .list(try await self.subscriptions(among: all, with: wanted))
            return try Response.apple(.object(body))
        }
    }

    private func page(
        of all: [SandboxTransaction],
        for request: Request,
        isDescending: Bool
    ) async throws -> [String: AppleJSON] {
        let revision = request.uri.queryParameters.get("revision")
        let page = try HistoryPage(of: all, after: revision, isDescending: isDescending)
        let now = await self.ledger.nextInstant
        return [
            "signedTransactions": .list(
                try page.transactions.map { .text(try self.writer.signedTransaction($0, at: now)) }
            ),
            "revision": .text(page.revision),
            "hasMore": .flag(page.hasMore),
        ]
    }

    private func subscriptions(among all: [SandboxTransaction], with wanted: Set<Int>) async throws -> [AppleJSON] {
        let state = await self.ledger.state
        let now = await self.ledger.nextInstant
        var last: [AppleJSON] = []
        for id in Set(all.filter { $0.kind == .subscription }.map(\.originalID)).sorted() {
            guard let newest = state.periods(of: id).last, let chain = state.chains[id] else { continue }
            let status = AppStoreWriter.status(chain, of: newest, at: now)
            guard wanted.isEmpty || wanted.contains(status) else { continue }
            last.append(
                .object([
                    "originalTransactionId": .text(id),
                    "status": .number(status),
                    "signedTransactionInfo": .text(try self.writer.signedTransaction(newest, at: now)),
                    "signedRenewalInfo": .text(try self.writer.signedRenewal(chain, of: newest, at: now)),
                ])
            )
        }
        guard !last.isEmpty else { return [] }
        let group = AppStoreWriter.subscriptionGroup
        return [.object(["subscriptionGroupIdentifier": .text(group), "lastTransactions": .list(last)])]
    }

    private func application(on side: SandboxTransaction.Environment) -> [String: AppleJSON] {
        var body: [String: AppleJSON] = [
            "bundleId": .text(self.configuration.bundleID),
            "environment": AppStoreWriter.name(of: side),
        ]
        if side == .production { body["appAppleId"] = .number(Int(self.configuration.appAppleID)) }
        return body
    }
}
