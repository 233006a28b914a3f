import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import Wallet
import WalletAPI
import WalletConsole

/// The routes that the demo page of `dev` needs in addition to the HTTP API.
///
/// None of these routes exists in `serve`.
///
/// - `GET /` and its files (see ``DemoPage``)
/// - `GET /demo/session`: tokens for the demo's users and an operator
/// - `GET /demo/activity`: the newest store messages and events
/// - `POST /demo/verify`: the number of violations of each invariant
/// - `/demo/store/…`: the controls of the sandbox stores, which listen on another port
struct DemoRoutes: Sendable {
    static let users = [
        (id: DevStack.demoUser, name: "Ada"), (id: "demo-ben", name: "Ben"), (id: "demo-cleo", name: "Cleo"),
    ]
    private static let userLifetime = 30 * 86_400
    private static let operatorLifetime = 3_600
    private static let mostUsers = 20

    let issuers: DevIssuers
    let database: DevelopmentDatabase
    let walletURL: String
    let storeURL: String
    let httpClient: HTTPClient

    func add(to router: Router<AppRequestContext>) {
        DemoPage().add(to: router)
        let own = router.group().add(middleware: SameOriginMiddleware())
        own.get("demo/session", use: self.session)
        own.get("demo/activity", use: self.activity)
        own.post("demo/verify", use: self.verify)
        let store = DemoStoreProxy(baseURL: self.storeURL, httpClient: self.httpClient)
        for method in [HTTPRequest.Method.get, .post, .delete] {
            own.on("demo/store/**", method: method, use: store.forward)
        }
    }

    @Sendable
    private func session(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let asked = request.uri.queryParameters.getAll("user").map { String($0) }
        guard asked.count <= Self.mostUsers, asked.allSatisfy({ $0.wholeMatch(of: /demo-[a-z0-9-]{1,58}/) != nil })
        else {
            throw HTTPError(.badRequest, message: "Each user is demo- and letters, digits or dashes.")
        }
        let fixed = Self.users.map(\.id)
        let others = asked.filter { !fixed.contains($0) }.uniqued().map { (id: $0, name: $0) }
        var users: [DemoSession.User] = []
        for user in Self.users + others {
            users.append(
                DemoSession.User(
                    userID: user.id,
                    name: user.name,
                    token: try await self.token(
                        for: user.id,
                        "authenticated",
                        of: self.issuers.users,
                        Self.userLifetime
                    )
                )
            )
        }
        return try Self.json(
            DemoSession(
                walletURL: self.walletURL,
                storeURL: self.storeURL,
                users: users,
                operatorToken: try await self.token(
                    for: "demo-operator",
                    "operator",
                    of: self.issuers.operators,
                    Self.operatorLifetime
                )
            )
        )
    }

    private func token(
        for subject: String,
        _ role: String,
        of issuer: IssuerConfiguration,
        _ lifetime: Int
    ) async throws -> String {
        try TokenSigner(issuer).token(for: subject, role: role, lifetime: lifetime)
    }

    @Sendable
    private func activity(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        Self.json(text: try await self.database.newestActivity())
    }

    @Sendable
    private func verify(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        Self.json(text: try await self.database.invariants())
    }

    private static func json(_ value: some Encodable) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        return try self.json(text: String(decoding: encoder.encode(value), as: UTF8.self))
    }

    private static func json(text: String) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }

    /// Returns whether a request may contain a form: the console's forms carry their own token.
    static func isForm(_ request: Request) -> Bool {
        request.uri.path.hasPrefix("/console/")
    }
}

/// The data that the demo page loads when it starts.
private struct DemoSession: Encodable {
    struct User: Encodable {
        let userID: String
        let name: String
        let token: String

        enum CodingKeys: String, CodingKey {
            case userID = "user_id"
            case name, token
        }
    }

    let walletURL: String
    let storeURL: String
    let users: [User]
    let operatorToken: String

    enum CodingKeys: String, CodingKey {
        case walletURL = "wallet_url"
        case storeURL = "store_url"
        case users
        case operatorToken = "operator_token"
    }
}

extension Sequence where Element: Hashable {
    fileprivate func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return self.filter { seen.insert($0).inserted }
    }
}

/// Restricts the demo's routes to the demo page and to programs other than browsers.
///
/// The session contains an operator token, which pages of other local servers must not read.
private struct SameOriginMiddleware: RouterMiddleware {
    typealias Context = AppRequestContext

    func handle(
        _ request: Request,
        context: AppRequestContext,
        next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        let own = request.head.authority.map { "http://\($0)" }
        let origins = request.headers[values: .origin]
        let sites = request.headers[values: Self.site]
        guard origins.allSatisfy({ $0 == own }), sites.allSatisfy({ ["same-origin", "none"].contains($0) }) else {
            throw HTTPError(.forbidden, message: "Only the demo page may ask for this.")
        }
        var response = try await next(request, context)
        response.headers[values: .accessControlAllowOrigin] = []
        return response
    }

    private static let site = HTTPField.Name("Sec-Fetch-Site") ?? .origin
}

/// Forwards the demo page's requests to the controls of the sandbox stores on another port, because the page may only
/// call its own origin.
private struct DemoStoreProxy: Sendable {
    private static let prefix = "/demo/store/"
    private static let largestBody = 64 * 1_024
    private static let largestAnswer = 4 * 1_024 * 1_024

    let baseURL: String
    let httpClient: HTTPClient

    @Sendable
    func forward(_ request: Request, _ context: AppRequestContext) async throws -> Response {
        let target = request.uri.string
        guard target.hasPrefix(Self.prefix), !target.split(separator: "/").contains("..") else {
            throw HTTPError(.notFound)
        }
        var call = HTTPClientRequest(url: "\(self.baseURL)/sandbox/\(target.dropFirst(Self.prefix.count))")
        call.method = HTTPMethod(rawValue: request.method.rawValue)
        if let type = request.headers[.contentType] { call.headers.add(name: "content-type", value: type) }
        let body = try await request.body.collect(upTo: Self.largestBody)
        if body.readableBytes > 0 { call.body = .bytes(body) }
        do {
            let answer = try await self.httpClient.execute(call, timeout: .seconds(15))
            let bytes = try await answer.body.collect(upTo: Self.largestAnswer)
            return Response(
                status: HTTPResponse.Status(code: Int(answer.status.code)),
                headers: [
                    .contentType: answer.headers.first(name: "content-type") ?? "application/json",
                    .cacheControl: "no-store",
                ],
                body: ResponseBody(byteBuffer: bytes)
            )
        } catch {
            context.logger.warning("the sandbox store did not respond", metadata: ["error": "\(error)"])
            throw HTTPError(.badGateway, message: "The sandbox store does not answer.")
        }
    }
}
