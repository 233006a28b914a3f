import Foundation
import NIOHTTP1

/// The RevenueCat part: posts events as RevenueCat's webhooks.
struct RevenueCatServer: Sendable {
    let settings: SandboxStoresConfiguration.RevenueCat
    let customers = KnownCustomers()

    init(settings: SandboxStoresConfiguration.RevenueCat) {
        self.settings = settings
    }

    var proof: RevenueCatProof {
        RevenueCatProof(authorization: self.settings.authorization, signingSecret: self.settings.signingSecret)
    }

    /// Returns the writer of the webhooks; each attempt's proofs contain the stores' current time.
    func writer(of ledger: SandboxLedger) -> NotificationWriter {
        let proof = self.proof
        return NotificationWriter(source: .revenueCat) { body in
            HTTPHeaders(proof.headers(for: body, at: await ledger.now).map { ($0.name, $0.value) })
        } write: { happening in
            try self.drafts(of: happening)
        }
    }

    /// Returns the webhooks for an event, in the order in which RevenueCat sends them.
    private func drafts(of happening: SandboxEvent) throws -> [NotificationDraft] {
        if case .transferred(let from, let to) = happening.kind {
            let transaction = happening.transaction
            let transfer = RevenueCatTransfer(transaction: transaction, from: from, to: to, reportedAt: happening.at)
            return [NotificationDraft(id: transfer.id, type: "TRANSFER", body: try transfer.body.bytes)]
        }
        return try happening.revenueCatUpdate.map { news in
            let event = RevenueCatEvent(
                word: news.word,
                transaction: news.transaction,
                customer: happening.state.customer(of: news.transaction),
                reportedAt: happening.at,
                entitlementID: self.settings.entitlementID
            )
            return NotificationDraft(id: event.id, type: event.word.type, body: try event.body.bytes)
        }
    }
}
