import Foundation
import Hummingbird
import JSON

extension SandboxStores {
    private struct ReviewAnswer: Decodable {
        struct Usage: Decodable {
            let consumptionTime: String?
            let consumptionItemDescription: String?
        }

        let pendingRefundToken: String
        let sampleContentProvided: Bool
        let refundPreference: String
        let consumptionPercentageMilliunits: Int?
        let consumptionUsageEvents: [Usage]?

        var isValid: Bool {
            ["DECLINE", "APPROVE", "NEUTRAL"].contains(self.refundPreference)
                && (0...100_000).contains(self.consumptionPercentageMilliunits ?? 0)
                && (self.consumptionUsageEvents?.count ?? 0) <= 1_000
        }
    }

    private struct ReviewView: Encodable {
        let orderId: String
        let at: String
        let body: String
    }

    private struct ReviewList: ResponseEncodable {
        let refundReviews: [ReviewView]
    }

    /// Records the app server's answer to a refund review.
    func reviewRefund(_ request: Request, _ context: SandboxContext) async throws -> Response {
        let segment = try context.segment("order")
        let verb = ":reviewrefund"
        guard segment.hasSuffix(verb) else { throw PlayRefusal.unknownMethod }
        let body = Data(try await request.body.collect(upTo: 8 * 1_024 * 1_024).readableBytesView)
        guard let answer = try? JSONDecoder().decode(ReviewAnswer.self, external: body), answer.isValid else {
            throw PlayRefusal.invalidAnswer
        }
        try await self.ledger.recordRefundReview(
            String(decoding: body, as: UTF8.self),
            ofOrder: String(segment.dropLast(verb.count)),
            token: answer.pendingRefundToken
        )
        return Response(status: .noContent)
    }

    /// Adds the control that lists the app server's answers.
    func addRefundReviewControl(to router: Router<SandboxContext>) {
        router.get("sandbox/refund-reviews") { _, _ in
            ReviewList(
                refundReviews: (await self.ledger.state.refundReviews ?? []).map {
                    ReviewView(orderId: $0.transactionID, at: $0.at.formatted(.iso8601), body: $0.body)
                }
            )
        }
    }
}

extension SandboxLedger {
    /// Stores the answer to a refund review; only the first one is kept.
    func recordRefundReview(_ body: String, ofOrder id: String, token: String) throws {
        guard let transaction = self.state.transactions[id], transaction.store == .googlePlay else {
            throw PlayRefusal.unknownOrder
        }
        guard transaction.refundReviewToken == token else { throw PlayRefusal.invalidAnswer }
        let answer = SandboxConsumption(transactionID: id, at: self.now, body: body)
        guard !(self.state.refundReviews ?? []).contains(where: { $0.body.contains(token) }) else { return }
        try self.change { $0.refundReviews = ($0.refundReviews ?? []) + [answer] }
    }
}
