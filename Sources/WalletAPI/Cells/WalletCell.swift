/// One of several wallets that a process serves.
public struct WalletCell: Sendable {
    /// The wallet's name in paths, metrics and logs.
    public let name: String
    /// The server that answers the wallet's requests; its own address is not used.
    public let server: WalletServer
    /// The exact `iss` values of the tokens that belong to the wallet.
    public let issuers: [String]
    /// The gate that opens once the wallet is usable.
    public let gate: CellGate

    /// Creates a wallet of a multi-wallet process.
    ///
    /// - Parameters:
    ///   - name: The wallet's name in paths, metrics and logs.
    ///   - server: The server that answers the wallet's requests.
    ///   - issuers: The exact `iss` values of the tokens that belong to the wallet.
    ///   - gate: The gate that opens once the wallet is usable.
    public init(name: String, server: WalletServer, issuers: [String], gate: CellGate) {
        self.name = name
        self.server = server
        self.issuers = issuers
        self.gate = gate
    }
}
