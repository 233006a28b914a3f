/// One of several wallets: its name and the address of its database.
struct WalletAddress: Sendable, Hashable {
    let name: String
    let url: String
}
