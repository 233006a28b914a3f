import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import JSON
import Logging
import NIOCore
import Postgres
import Synchronization
import TestSupport
import Wallet

@testable import WalletConsole

/// A console on the suite's database, with a manual clock.
final class ConsoleHarness: Sendable {
    /// The wallet of the console; its connections are open while a test runs.
    let wallet: Wallet
    private let pool: Pool
    private let clock = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    private let endedSessions = Mutex<Set<Data>>([])
    private let isDatabaseDown = Mutex(false)
    private let isSecure: Bool
    private let name: String?
    private let waits = Mutex<Int?>(nil)

    /// Creates a console on the suite's database (``TestDatabase/current``), or on none that answers.
    ///
    /// - Parameters:
    ///   - isSecure: A Boolean value that indicates whether cookies are sent over HTTPS only.
    ///   - name: The wallet's name, if several consoles share a host.
    ///   - hasDatabase: A Boolean value that indicates whether the database answers.
    ///   - zone: The studio's time zone; the database needs the same one.
    /// - Throws: ``TestSupportError`` if the suite has no database.
    init(
        isSecure: Bool = false,
        wallet name: String? = nil,
        hasDatabase: Bool = true,
        zone: StudioTimeZone = .utc
    ) throws {
        let url = hasDatabase ? try TestDatabase.current.serviceURL : "postgresql://nobody@127.0.0.1:1/none"
        var configuration = PoolConfiguration(url: url)
        if !hasDatabase { configuration.acquireTimeout = .milliseconds(300) }
        self.pool = Pool(configuration: configuration, logger: Self.silent)
        self.wallet = Wallet(pool: self.pool, studioTimeZone: zone)
        self.isSecure = isSecure
        self.name = name
    }

    private static var silent: Logger { Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() } }

    /// The clock's current time.
    var now: Date { self.clock.withLock { $0 } }

    /// The number of seconds that the next sign-ins must wait; nil if they need not wait.
    var wait: Int? {
        get { self.waits.withLock { $0 } }
        set { self.waits.withLock { $0 = newValue } }
    }

    /// Moves the clock.
    func pass(_ seconds: TimeInterval) {
        self.clock.withLock { $0 += seconds }
    }

    /// A Boolean value that indicates whether the store of ended sessions is unreachable.
    var databaseIsDown: Bool {
        get { self.isDatabaseDown.withLock { $0 } }
        set { self.isDatabaseDown.withLock { $0 = newValue } }
    }

    /// Returns the id of a new user.
    static func someone() -> String { "ann-\(UUID().uuidString.prefix(12).lowercased())" }

    /// Grants credits to a user as another operator does.
    func give(_ credits: Int, to user: String, reason: String = "for a test") async throws {
        let json: JSONValue = .object([
            "user_id": .text(user), "unit": "credit", "amount": .number(Decimal(credits)), "reason": .text(reason),
            "reference": .text("given-\(UUID().uuidString)"), "new_user": true,
        ])
        _ = try await self.wallet.adjust(
            try WireJSON.decode(Adjustment.self, from: Data(json.jsonText.utf8)),
            by: OperatorIdentity(id: UserID(rawValue: "noa"), right: .operator),
            key: nil,
            in: .production
        )
    }

    /// Returns a user's credits.
    func credits(of user: String) async throws -> Int64 {
        try await self.wallet.balance(of: UserID(rawValue: user), in: .production).credits
    }

    /// Returns the actions on a user in the audit, each with its actor, the latest first.
    func audit(of user: String) async throws -> [String] {
        let rows = try await self.wallet.rows(of: .audit, where: ["user_id": user], page: PageRequest(limit: 100)).items
        return rows.map { row in
            guard case .text(let action) = row["action"], case .text(let actor) = row["actor"] else { return "" }
            return "\(action) by \(actor)"
        }
    }

    /// Runs a test against the console as an operator with the given right.
    func run(
        as right: OperatorRight = .admin,
        _ test: @escaping @Sendable (Browser) async throws -> Void
    ) async throws {
        try await self.run(.oneClick(ConsoleOperator(id: "mia", name: "Mia", right: right)), test)
    }

    /// Runs a test against the console with any sign-in.
    func run(
        _ signIn: ConsoleConfiguration.SignIn,
        _ test: @escaping @Sendable (Browser) async throws -> Void
    ) async throws {
        let router = Router()
        var configuration = ConsoleConfiguration(
            signIn: signIn,
            secret: Array("a secret of the console, 32 bytes or more".utf8),
            apiURL: "https://wallet.example"
        )
        configuration.wallet = self.name
        configuration.isSecure = self.isSecure
        configuration.now = { self.clock.withLock { $0 } }
        let ended = EndedSessions(
            end: { digest, _ in
                try self.askDatabase()
                self.endedSessions.withLock { _ = $0.insert(digest) }
            },
            isEnded: { digest in
                try self.askDatabase()
                return self.endedSessions.withLock { $0.contains(digest) }
            }
        )
        OperatorConsole<BasicRequestContext>(
            configuration,
            wallet: self.wallet,
            limits: OperatorLimits(maximumAmount: 1_000, dailyAmount: 1_000_000),
            ended: ended,
            gate: { _, _ in SignInCaller(address: "192.0.2.7", wait: self.wait) }
        ).add(to: router)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.pool.run() }
            try await Application(router: router).test(.router) { client in
                try await test(Browser(client: client))
            }
            group.cancelAll()
        }
    }

    /// Returns a visit of an administrator, for pages that are drawn without a request.
    func visit() -> Visit {
        let owner = ConsoleOperator(id: "mia", name: "Mia", right: .admin)
        let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/console")
        return Visit(
            request: Request(head: head, body: RequestBody(buffer: ByteBuffer())),
            session: ConsoleSession(of: owner, signedInAt: self.now, at: self.now),
            interface: OperatorInterface(
                wallet: self.wallet,
                limits: OperatorLimits(maximumAmount: 1_000, dailyAmount: 1_000),
                refusals: RefusalMetrics(),
                actor: OperatorIdentity(id: UserID(rawValue: owner.id), right: .admin),
                logger: Self.silent
            ),
            formToken: "token",
            isStale: false
        )
    }

    private func askDatabase() throws {
        guard self.databaseIsDown else { return }
        throw WalletError(status: 503, slug: "database-unavailable", retryAfter: 1)
    }
}

/// A minimal browser that only keeps cookies.
final class Browser: Sendable {
    private let client: any TestClientProtocol
    private let kept = Mutex<[String: String]>([:])

    init(client: any TestClientProtocol) {
        self.client = client
    }

    /// The cookies that the browser sends, or nil without cookies.
    var cookie: String? {
        get {
            let pairs = self.kept.withLock { $0 }.sorted { $0.key < $1.key }
            return pairs.isEmpty ? nil : pairs.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        }
        set {
            self.kept.withLock { kept in
                kept = [:]
                for pair in newValue?.split(separator: ";") ?? [] { Self.keep(pair, in: &kept) }
            }
        }
    }

    private static func keep(_ pair: Substring, in kept: inout [String: String]) {
        let parts = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        if parts.count == 2 { kept[parts[0]] = parts[1] } else if let name = parts.first { kept[name] = nil }
    }

    func get(_ path: String, fields: [String: String] = [:]) async throws -> TestResponse {
        try await self.send(.get, path, "", fields: fields)
    }

    func post(_ path: String, _ fields: [String: String]) async throws -> TestResponse {
        try await self.send(.post, path, String(WebAddress.query(fields).dropFirst()))
    }

    /// Signs in with the one-click sign-in of `dev`.
    @discardableResult
    func signIn() async throws -> TestResponse {
        try await self.post("/console/sign-in", ["return_to": "/console"])
    }

    /// Returns a value of the page's form.
    static func value(_ name: String, in page: TestResponse) -> String? {
        let text = String(buffer: page.body)
        guard let start = text.range(of: "name=\"\(name)\" value=\"")?.upperBound else { return nil }
        return text[start...].prefix { $0 != "\"" }.description
    }

    private func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String,
        fields: [String: String] = [:]
    ) async throws -> TestResponse {
        var headers: HTTPFields = [:]
        for (name, value) in fields { headers.set(name, value) }
        if let cookie = self.cookie { headers[.cookie] = cookie }
        if method == .post { headers[.contentType] = "application/x-www-form-urlencoded" }
        let answer = try await self.client.execute(
            uri: path,
            method: method,
            headers: headers,
            body: ByteBuffer(string: body)
        )
        self.kept.withLock { kept in
            for set in answer.headers[values: .setCookie] { Self.keep(set.prefix { $0 != ";" }, in: &kept) }
        }
        return answer
    }
}
