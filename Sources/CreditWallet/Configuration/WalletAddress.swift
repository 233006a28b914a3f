/// One of several wallets: what it is called and where its database is.
struct WalletAddress: Sendable, Hashable {
    let name: String
    let url: String
}
