/// One wallet of several that a process serves.
public struct WalletCell: Sendable {
    /// What the wallet is called: its place in paths, metrics and logs.
    public let name: String
    /// Answers its requests; its own address is not used.
    public let server: WalletServer
    /// The exact `iss` of the tokens that belong to it.
    public let issuers: [String]
    /// Opens once the wallet can be used.
    public let gate: CellGate

    /// Names a wallet and what answers for it.
    ///
    /// - Parameters:
    ///   - name: What the wallet is called.
    ///   - server: Answers its requests.
    ///   - issuers: The exact `iss` of the tokens that belong to it.
    ///   - gate: Opens once the wallet can be used.
    public init(name: String, server: WalletServer, issuers: [String], gate: CellGate) {
        self.name = name
        self.server = server
        self.issuers = issuers
        self.gate = gate
    }
}
