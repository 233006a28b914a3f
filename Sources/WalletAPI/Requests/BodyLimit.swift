/// The largest bodies that are read, in bytes.
enum BodyLimit {
    /// For every route that has no limit of its own.
    static let standard = 256 * 1024
    /// For receipts, which hold a user's whole purchase history.
    static let receipts = 2 * 1024 * 1024
}
