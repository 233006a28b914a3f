import AsyncHTTPClient
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Postgres
import Stores
import Synchronization
import Wallet
import WalletConsole
import WalletSupabase

@testable import WalletAPI

/// Two wallets behind one address, without databases, for decisions made before the database is used.
struct CellHarness: Sendable {
    static let euIssuer = "https://eu.example"
    static let usIssuer = "https://us.example"
    private static let eu = TokenForge(secret: "the-secret-of-eu-of-more-than-32-bytes")
    private static let us = TokenForge(secret: "the-secret-of-us-of-more-than-32-bytes")

    let client: any TestClientProtocol
    /// The gate that opens the wallet eu; that of us is open.
    let gate: CellGate
    let lines: LogLines

    /// Runs a test with the two wallets.
    static func run(_ test: @escaping @Sendable (CellHarness) async throws -> Void) async throws {
        let lines = LogLines()
        let gates = [CellGate(), CellGate()]
        gates[1].open()
        var pages = WalletServerConfiguration()
        pages.corsOrigins = ["https://app.eu.example"]
        pages.hasReference = true
        let cells = try await [
            Self.cell("eu", Self.euIssuer, Self.eu, pages, gates[0]),
            Self.cell("us", Self.usIssuer, Self.us, WalletServerConfiguration(), gates[1]),
        ]
        let server = CellServer(
            configuration: WalletServerConfiguration { $0.hasReference = true },
            cells: cells,
            dialects: [SupabaseFunctions()],
            additions: { router in
                APIReference(openAPI: WalletServer.openAPI).add(to: router)
            },
            logger: lines.logger()
        )
        try await server.buildApplication().test(.router) { client in
            try await test(CellHarness(client: client, gate: gates[0], lines: lines))
        }
    }

    private static func cell(
        _ name: String,
        _ issuer: String,
        _ forge: TokenForge,
        _ configuration: WalletServerConfiguration,
        _ gate: CellGate
    ) async throws -> WalletCell {
        var pool = PoolConfiguration(url: "postgresql://nobody@127.0.0.1:1/none")
        pool.acquireTimeout = .milliseconds(100)
        let wallet = Wallet(pool: Pool(configuration: pool, logger: .silent))
        let issuer = IssuerConfiguration(
            issuer: issuer,
            audiences: [TokenForge.audience],
            sharedSecret: forge.secret
        )
        let server = WalletServer(
            configuration: configuration,
            wallet: wallet,
            changes: BalanceChanges(wallet: wallet, logger: .silent),
            tokens: try TokenVerifier(
                configuration: AuthenticationConfiguration(issuers: [issuer]),
                httpClient: .shared,
                logger: .silent
            ),
            stores: StoreClients(),
            dialects: [SupabaseFunctions()],
            logger: .silent
        )
        return WalletCell(name: name, server: server, issuers: [issuer.issuer], gate: gate)
    }

    /// Returns a token signed with the key of us, for the given issuer.
    static func usToken(of issuer: String = Self.usIssuer) throws -> String {
        try Self.us.shared(ServerHarness.claims(issuer: issuer, subject: "ann"))
    }

    static func euToken() throws -> String {
        try Self.eu.shared(ServerHarness.claims(issuer: Self.euIssuer, subject: "ann"))
    }

    /// Sends a request.
    ///
    /// - Returns: The status, with the problem's slug if there is one.
    func outcome(_ path: String, token: String? = nil, _ method: HTTPRequest.Method = .get) async throws -> String {
        let answer = try await self.answer(path, token: token, method)
        let slug = String(buffer: answer.body).firstMatch(of: /problems\/([a-z-]+)/).map { " \($0.1)" } ?? ""
        return "\(answer.status.code)\(slug)"
    }

    func answer(
        _ path: String,
        token: String? = nil,
        _ method: HTTPRequest.Method = .get,
        headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        var headers = headers
        if let token { headers[.authorization] = "Bearer \(token)" }
        return try await self.client.execute(uri: path, method: method, headers: headers)
    }
}
