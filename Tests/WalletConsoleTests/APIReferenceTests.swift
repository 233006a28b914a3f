import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import WalletConsole

@Suite struct APIReferenceTests {
    private func withReference(_ test: @escaping @Sendable (any TestClientProtocol) async throws -> Void) async throws {
        let router = Router()
        try Documents.routes.get().add(to: router)
        try await Application(router: router).test(.router, test)
    }

    @Test(arguments: [
        ("/docs", "text/html; charset=utf-8"), ("/docs/bookings", "text/html; charset=utf-8"),
        ("/docs/bookings.md", "text/markdown; charset=utf-8"), ("/docs/reference.css", "text/css; charset=utf-8"),
        ("/docs/reference.js", "text/javascript; charset=utf-8"), ("/docs/search.json", "application/json"),
        ("/docs/icon.svg", "image/svg+xml"), ("/openapi.json", "application/json"),
        ("/favicon.ico", "image/svg+xml"), ("/llms.txt", "text/plain; charset=utf-8"),
        ("/guides/events.md", "text/markdown; charset=utf-8"),
    ])
    func `each file is served with its type, its tag and the strict policy`(path: String, type: String) async throws {
        try await self.withReference { client in
            let answer = try await client.execute(uri: path, method: .get)
            #expect(answer.status == .ok)
            #expect(answer.headers[.contentType] == type)
            #expect(answer.headers[.contentSecurityPolicy] == StaticFiles.policy)
            #expect(answer.body.readableBytes > 0)
            let tag = try #require(answer.headers[.eTag])
            let again = try await client.execute(uri: path, method: .get, headers: [.ifNoneMatch: tag])
            #expect(again.status == .notModified)
            #expect(again.body.readableBytes == 0)
        }
    }

    @Test func `the base address redirects to the reference`() async throws {
        try await self.withReference { client in
            let answer = try await client.execute(uri: "/", method: .get)
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == "/docs")
        }
    }

    @Test(arguments: [
        ("text/html,application/xhtml+xml,*/*;q=0.8", "<h1>The class is full</h1>"),
        ("application/json", "\"repeat\": \"changed\""), ("text/markdown", "# The class is full"),
        ("*/*", "# The class is full"),
    ])
    func `a problem is explained in the requested format`(accept: String, text: String) async throws {
        try await self.withReference { client in
            let answer = try await client.execute(uri: "/problems/class-full", method: .get, headers: [.accept: accept])
            #expect(answer.status == .ok)
            #expect(answer.headers[.vary] == "Accept")
            #expect(String(buffer: answer.body).contains(text))
        }
    }

    @Test func `a guide is a page for browsers and Markdown for programs`() async throws {
        try await self.withReference { client in
            for (accept, text) in [
                ("text/html,*/*;q=0.8", "<h2 id=\"verify\">Verify</h2>"), ("*/*", "\n## Verify\n"),
            ] {
                let answer = try await client.execute(
                    uri: "/guides/events.md",
                    method: .get,
                    headers: [.accept: accept]
                )
                #expect(answer.status == .ok)
                #expect(answer.headers[.vary] == "Accept")
                #expect(String(buffer: answer.body).contains(text))
            }
        }
    }

    @Test func `the search index has the words of operations, problems and sections of guides`() async throws {
        try await self.withReference { client in
            let answer = try await client.execute(uri: "/docs/search.json", method: .get)
            let entries = try JSONDecoder().decode([[String]].self, from: Data(String(buffer: answer.body).utf8))
            #expect(entries.allSatisfy { $0.count == 4 })
            func finds(_ heading: String, _ word: String) -> Bool {
                entries.contains { $0[0] == heading && $0[3].split(separator: " ").contains(word[...]) }
            }
            #expect(finds("Quick start", "jwt"))
            #expect(finds("POST /bookings/{id}/check-in", "attended"))
            #expect(finds("Verify", "signature"))
            #expect(entries.contains { $0[2] == "/guides/events.md#verify" })
        }
    }

    @Test(arguments: ["/problems/none", "/docs/none", "/docs/none.md", "/guides/admin.md", "/guides/..%2Fdocs.html"])
    func `an unknown path is not found`(path: String) async throws {
        try await self.withReference { client in
            let answer = try await client.execute(uri: path, method: .get)
            #expect(answer.status == .notFound)
        }
    }
}
