/// The answer about all subscriptions of a customer.
struct AppStoreSubscriptionsAnswer: Decodable, Sendable {
    /// The subscriptions of one group; a customer has at most one active subscription per group.
    struct Group: Decodable, Sendable {
        let lastTransactions: [Subscription]
    }

    /// The status of one subscription.
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
    /// Applies the store's status to a fact from the transaction and the renewal information.
    ///
    /// The status is current, so it also clears flags that are no longer true. It does not override a signed refund: a
    /// refunded revocation stays a refund.
    /// - Parameter fact: The subscription's latest period.
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
