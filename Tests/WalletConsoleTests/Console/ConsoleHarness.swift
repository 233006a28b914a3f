import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Synchronization
import Wallet

@testable import WalletConsole

/// A console on operator routes with prepared responses and a manual clock.
final class ConsoleHarness: Sendable {
    /// A request to the routes: method, path with query, and body.
    struct Asked: Sendable, Equatable {
        let method: String
        let path: String
        let body: String
        let owner: String
    }

    private let clock = Mutex(Date(timeIntervalSince1970: 1_800_000_000))
    private let requests = Mutex<[Asked]>([])
    private let endedSessions = Mutex<Set<Data>>([])
    private let answers = Mutex<[String: (status: Int, json: String, headers: [String: String])]>([:])
    private let isDatabaseDown = Mutex(false)
    private let isSecure: Bool
    private let wallet: String?
    private let waits = Mutex<Int?>(nil)

    init(isSecure: Bool = false, wallet: String? = nil) {
        self.isSecure = isSecure
        self.wallet = wallet
    }

    /// The requests so far.
    var asked: [Asked] { self.requests.withLock { $0 } }

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

    /// Sets the response of a route, for any query or for a single one; other routes return an empty object.
    func answer(_ path: String, _ json: String, status: Int = 200, headers: [String: String] = [:]) {
        self.answers.withLock { $0["/operator/\(path)"] = (status, json, headers) }
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
        let configuration = ConsoleConfiguration(
            signIn: signIn,
            secret: Array("a secret of the console, 32 bytes or more".utf8),
            wallet: self.wallet,
            apiURL: "https://wallet.example",
            isSecure: self.isSecure,
            now: { self.clock.withLock { $0 } }
        )
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
            ended: ended,
            gate: { _, _ in SignInCaller(address: "192.0.2.7", wait: self.wait) },
            interface: { request, owner, _ in try await self.respond(to: request, owner) }
        ).add(to: router)
        try await Application(router: router).test(.router) { client in
            try await test(Browser(client: client))
        }
    }

    private func askDatabase() throws {
        guard self.databaseIsDown else { return }
        throw WalletError(status: 503, slug: "database-unavailable", retryAfter: 1)
    }

    private func respond(to request: Request, _ owner: ConsoleOperator) async throws -> Response {
        let body = try await request.body.collect(upTo: 1_000_000)
        let asked = Asked(
            method: request.method.rawValue,
            path: request.head.path ?? "",
            body: String(buffer: body),
            owner: owner.id
        )
        self.requests.withLock { $0.append(asked) }
        let found =
            self.answers.withLock { $0[request.head.path ?? ""] ?? $0[request.uri.path] }
            ?? (status: 200, json: "{}", headers: [:])
        var headers: HTTPFields = [.contentType: "application/json"]
        for (name, value) in found.headers { headers.set(name, value) }
        return Response(
            status: HTTPResponse.Status(code: found.status),
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(string: found.json))
        )
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
