/// A path with the name of its wallet: `/wallets/NAME/…`.
///
/// The name is compared as sent and never decoded, so a percent-encoded name matches no wallet.
struct CellPath: Equatable {
    private static let prefix = "/wallets/"

    /// The wallet's name.
    let name: String
    /// The path within the wallet, with the query; empty if nothing follows the name.
    let rest: String

    /// Parses a path; returns nil for a path without a wallet's name.
    ///
    /// - Parameter path: The path and the query, as they were sent.
    init?(_ path: String) {
        guard path.utf8.starts(with: Self.prefix.utf8) else { return nil }
        let tail = path.utf8.dropFirst(Self.prefix.utf8.count)
        let end = tail.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? tail.endIndex
        self.name = String(decoding: tail[..<end], as: UTF8.self)
        self.rest = String(decoding: tail[end...], as: UTF8.self)
    }
}
