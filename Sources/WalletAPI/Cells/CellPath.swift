/// A path that names the wallet it is for: `/wallets/NAME/…`.
///
/// The name is taken as it stands and never decoded: what is written in another way names no wallet.
struct CellPath: Equatable {
    private static let prefix = "/wallets/"

    /// Which wallet.
    let name: String
    /// What is asked of it, with the query; empty where nothing stands behind the name.
    let rest: String

    /// Takes a path apart; nil for one that names no wallet.
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
