import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Postgres
import TestSupport
import Testing
import Wallet

@testable import WalletAPI

/// Tests of the positions in the write-ahead log that responses give to clients.
@Suite(.database) struct ReadPositionTests {
    private static let header = "Wallet-Position"

    private func withStandbys(_ test: @escaping @Sendable (ServerHarness) async throws -> Void) async throws {
        try await ServerHarness.withDatabase(hasStandbys: true, test)
    }

    @Test func `without standbys responses have no position`() async throws {
        try await ServerHarness.withDatabase { server in
            let answer = try await server.send(.get, "/packs", headers: [Self.header: "latest"])
            #expect(answer.status == 200)
            #expect(answer.headers[.walletPosition] == nil)
        }
    }

    @Test(arguments: ["latest", "0", "nonsense", "0000000F7FFFFFFFFFFFFFFF", "000000010000000000000001"])
    func `a request with a position gets a position of the primary`(brought: String) async throws {
        try await self.withStandbys { server in
            let user = ServerHarness.someone()
            let answer = try await server.send(.get, "/balance", as: user, headers: [Self.header: brought])
            #expect(answer.status == 200)
            let token = try #require(answer.headers[.walletPosition])
            #expect(token.count == 24)
            #expect(token < "0000000F" && token > "000000010000000000000001")
            let head = try await server.send(.head, "/balance", as: user, headers: [Self.header: token])
            #expect(try #require(head.headers[.walletPosition]) >= token)
            #expect(try await server.send(.get, "/balance", as: user).headers[.walletPosition] == nil)
        }
    }

    @Test func `a change advances the position, and a refusal has one too`() async throws {
        try await self.withStandbys { server in
            let user = ServerHarness.someone()
            let before = try await server.send(.get, "/balance", as: user, headers: [Self.header: "latest"])
            let receipt = try await server.buy(user).receipt
            let bought = try await server.send(
                .post,
                "/receipts",
                as: user,
                headers: [Self.header: "latest"],
                json: ["store": "app_store", "receipt": try #require(receipt)]
            )
            #expect(bought.status == 200)
            let after = try #require(bought.headers[.walletPosition])
            #expect(after > (try #require(before.headers[.walletPosition])))
            let refused = try await server.send(.get, "/bookings/none", as: user, headers: [Self.header: after])
            #expect(refused.status == 404)
            #expect(refused.headers[.walletPosition] != nil)
            let stranger = try await server.send(.get, "/balance", headers: [Self.header: after])
            #expect(stranger.status == 401)
            #expect(stranger.headers[.walletPosition] == after, "nothing of the books was shown")
        }
    }

    // Guarantee: never-stale
    @Test(arguments: ["/classes", "/packs"])
    func `a list from memory has the position of the read that another client caused`(path: String) async throws {
        try await self.withStandbys { server in
            let before = "000000010000000000000001"
            for client in 1...2 {
                let answer = try await server.send(.get, path, headers: [Self.header: before])
                let position = try #require(answer.headers[.walletPosition])
                #expect(position.count == 24 && position > before, "client \(client)")
                let later = "0000000F7FFFFFFFFFFFFFFF"
                let known = try await server.send(.get, path, headers: [Self.header: later])
                #expect(known.headers[.walletPosition] == later, "client \(client) has seen more than the list shows")
            }
        }
    }

    @Test func `a page's preflight allows the header, and the page may read it`() async throws {
        try await self.withStandbys { server in
            let origin = ["Origin": "https://app.example", "Access-Control-Request-Method": "GET"]
            let preflight = try await server.send(.options, "/balance", headers: origin)
            #expect(preflight.headers[.accessControlAllowHeaders]?.contains("wallet-position") == true)
            #expect(preflight.headers[.walletPosition] == nil)
            let answer = try await server.send(
                .get,
                "/packs",
                headers: ["Origin": "https://app.example", Self.header: "latest"]
            )
            #expect(answer.headers[.accessControlExposeHeaders]?.contains("wallet-position") == true)
        }
    }

    @Test func `a browser stores the positions of forms and pages in separate cookies`() async throws {
        let pool = Pool(configuration: PoolConfiguration(url: try TestDatabase.current.serviceURL), logger: .silent)
        let wallet = Wallet(pool: pool, standbys: Standbys(pool: pool, primary: pool, patience: .seconds(30)))
        let router = Router(context: AppRequestContext.self)
        router.add(middleware: ReadPositionMiddleware(standbys: try #require(wallet.standbys)))
        router.get("/console/style.css") { _, _ in "" }
        router.get("/console/list") { _, _ in "\(try await wallet.packs().count)" }
        router.post("/console/form") { _, _ in "" }
        router.post("/console/refusal") { _, _ -> String in throw Problem(.conflict, "action-changed") }
        try await Application(router: router).test(.router) { client in
            @Sendable func cookies(_ method: HTTPRequest.Method, _ path: String, _ cookie: String? = nil) async throws
                -> [String]
            {
                var headers: HTTPFields = [:]
                headers[.cookie] = cookie
                let answer = try await client.execute(uri: path, method: method, headers: headers)
                #expect(answer.headers[.walletPosition] == nil)
                return answer.headers[values: .setCookie]
            }
            #expect(try await cookies(.get, "/console/style.css") == [])
            let read = try #require(try await cookies(.get, "/console/list").first)
            #expect(read.hasPrefix("wallet-position=0"))
            #expect(read.contains("Path=/console") && read.contains("HttpOnly") && read.contains("SameSite=Lax"))
            for path in ["/console/form", "/console/refusal"] {
                let written = try #require(try await cookies(.post, path).first)
                #expect(written.hasPrefix("wallet-position-written=0"), "\(path)")
            }
            // The later position applies. This route reads no data, so it does not advance the position.
            let both = "wallet-position=000000010000000000000002; wallet-position-written=000000010000000000000003"
            #expect(try await cookies(.get, "/console/style.css", both) == [])
        }
        await pool.close()
    }
}
