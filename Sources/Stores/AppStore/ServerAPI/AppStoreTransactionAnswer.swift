/// The answer about one transaction.
struct AppStoreTransactionAnswer: Decodable, Sendable {
    let signedTransactionInfo: String
}
