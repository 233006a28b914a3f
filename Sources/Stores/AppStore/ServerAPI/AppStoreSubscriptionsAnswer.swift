/// The answer about all subscriptions of a customer.
struct AppStoreSubscriptionsAnswer: Decodable, Sendable {
    /// The subscriptions of one group, of which a customer has one at a time.
    struct Group: Decodable, Sendable {
        let lastTransactions: [Subscription]
    }

    /// How one subscription stands.
    struct Subscription: Decodable, Sendable {
        private enum CodingKeys: String, CodingKey {
            case status
            case originalTransactionID = "originalTransactionId"
            case signedTransactionInfo
            case signedRenewalInfo
        }

        /// 1 active, 2 expired, 3 billing retry, 4 grace, 5 revoked.
        let status: Int
        let originalTransactionID: String?
        let signedTransactionInfo: String
        let signedRenewalInfo: String?
    }

    private enum CodingKeys: String, CodingKey {
        case environment
        case bundleID = "bundleId"
        case data
    }

    let environment: String?
    let bundleID: String?
    let data: [Group]
}

extension AppStoreSubscriptionsAnswer.Subscription {
    /// Writes the store's status over what the transaction and the renewal information say.
    ///
    /// The status is how things stand at the store's own present, so it also says what is not the case any more. What
    /// the store signed of a revocation stands: one that was paid back is a refund and stays one.
    /// - Parameter fact: the subscription's latest period.
    func overlay(on fact: inout StoreFact) {
        fact.occasion = .renewal
        switch self.status {
        case 1:
            fact.billingIssue = false
        case 2:
            fact.expiredAt = fact.expiresAt
            fact.willRenew = false
        case 3, 4:
            fact.billingIssue = true
        case 5:
            if (fact.refundedMillionths ?? 0) == 0 { fact.revoked = true }
        default: return
        }
        fact.revoked = fact.revoked ?? false
    }
}
