import HTTPTypes
import Testing
import Wallet
import WalletConsole

@testable import WalletAPI

/// Tests of the API reference served with the wallet's routes: its methods, and the links from problems.
@Suite struct ReferenceRouteTests {
    private static let reference = APIReference(openAPI: WalletServer.openAPI)
    static let paths = ["/docs", "/docs/bookings", "/problems/class-full", "/openapi.json", "/llms.txt"]

    @Test(arguments: [
        ("/balance", "unauthenticated"), ("/none", "route-not-found"), ("/classes?limit=x", "malformed-request"),
    ])
    func `a problem links to its page`(path: String, slug: String) async throws {
        try await ServerHarness.withoutDatabase(reference: Self.reference) { server in
            let answer = try await server.send(.get, path)
            #expect(answer.problem == slug)
            #expect(answer.headers[.link] == "</problems/\(slug)>; rel=\"help\"")
            let page = try await server.send(.get, "/problems/\(slug)", headers: ["Accept": "application/json"])
            #expect(page.status == 200)
            #expect(try page.json["slug"] as? String == slug)
        }
    }

    @Test func `a service without the reference links to no page`() async throws {
        try await ServerHarness.withoutDatabase { server in
            let plain = try await server.send(.get, "/balance")
            #expect(plain.headers[.link] == nil)
            for path in Self.paths {
                let answer = try await server.send(.get, path)
                #expect(answer.status == 404, "\(path)")
            }
        }
    }

    @Test(arguments: Self.paths) func `HEAD matches GET without the page`(path: String) async throws {
        try await ServerHarness.withoutDatabase(reference: Self.reference) { server in
            let whole = try await server.send(.get, path)
            let head = try await server.send(.head, path)
            #expect(head.status == 200)
            #expect(head.text.isEmpty)
            #expect(!whole.text.isEmpty)
            for name in [HTTPField.Name.contentType, .contentLength, .eTag] {
                #expect(head.headers[name] == whole.headers[name], "\(name)")
            }
        }
    }

    @Test(arguments: Self.paths) func `another method is not allowed`(path: String) async throws {
        try await ServerHarness.withoutDatabase(reference: Self.reference) { server in
            for method in [HTTPRequest.Method.post, .put, .delete, .options] {
                let answer = try await server.send(method, path)
                #expect(answer.status == 405, "\(method)")
                #expect(answer.problem == "method-not-allowed")
                #expect(answer.headers[.allow] == "GET, HEAD")
                #expect(answer.headers[.link] == "</problems/method-not-allowed>; rel=\"help\"")
            }
        }
    }
}
