/// One page of a list of transactions: of the history, or of the refunds, whose pages omit the app.
struct AppStoreTransactionsAnswer: Decodable, Sendable {
    private enum CodingKeys: String, CodingKey {
        case revision
        case hasMore
        case bundleID = "bundleId"
        case environment
        case signedTransactions
    }

    /// The token of the next page.
    let revision: String?
    let hasMore: Bool
    let bundleID: String?
    let environment: String?
    let signedTransactions: [String]
}
