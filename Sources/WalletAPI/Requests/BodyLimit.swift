/// The maximum sizes of request bodies, in bytes.
enum BodyLimit {
    /// The limit of every route without a limit of its own.
    static let standard = 256 * 1024
    /// The limit for receipts, which contain a user's whole purchase history.
    static let receipts = 2 * 1024 * 1024
}
