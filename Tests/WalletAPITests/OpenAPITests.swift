import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Postgres
import Stores
import Testing
import Wallet
import WalletConsole
import WalletSupabase

@testable import WalletAPI

@Suite struct OpenAPITests {
    private func section(_ name: String) throws -> [String: Any] {
        try #require(try DocumentSchema().document[name] as? [String: Any])
    }

    /// Returns the operations of the document, such as `GET /bookings/{id}`.
    private func documented() throws -> Set<String> {
        let methods: Set<String> = ["get", "put", "post", "delete", "patch", "head", "options", "trace"]
        var operations: Set<String> = []
        for (path, item) in try self.section("paths") {
            for method in try #require(item as? [String: Any]).keys where methods.contains(method) {
                operations.insert("\(method.uppercased()) \(path)")
            }
        }
        return operations
    }

    @Test func `every route is documented and every documented route exists`() async throws {
        let documented = try self.documented()
        #expect(documented.count >= 18)
        let reference = APIReference(openAPI: WalletServer.openAPI)
        let server = WalletServer(
            configuration: WalletServerConfiguration(),
            wallet: try ServerHarness.deadWallet(),
            changes: try ServerHarness.deadChanges(),
            tokens: try await ServerHarness.tokens(),
            stores: StoreClients(),
            dialects: [SupabaseFunctions()],
            additions: { router in reference.add(to: router) },
            logger: .silent
        )
        let served = Set(
            server.buildRouter().routes.map { route in
                let path = route.path.description.split(separator: "/").map { part in
                    part.hasPrefix(":") ? "{\(part.dropFirst())}" : String(part)
                }
                return "\(route.method.rawValue) /\(path.joined(separator: "/"))"
            }
        )
        // Browsers alone ask for these two.
        #expect(served.subtracting(documented) == ["GET /", "GET /favicon.ico"])
        #expect(documented.subtracting(served).isEmpty)
    }

    @Test func `the documented sources of a lot equal those of the database`() throws {
        let file = try #require(Wallet.sqlFiles.first { $0.path == "migrations/0005_ledger.sql" })
        let domain = try #require(file.contents.firstMatch(of: /lot_source_known [^;]*?IN \(([^)]+)\)/)?.1)
        let stored = domain.split(separator: ",").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " '")) }
        let document = EmbeddedOpenAPI.yaml
        let documented = try #require(document.firstMatch(of: /source: \{type: string, enum: \[(pack[^\]]+)\]\}/)?.1)
        #expect(documented.split(separator: ", ").map(String.init) == stored)
    }

    @Test(arguments: OperatorList.all)
    func `the rows of an operators' list are documented with all their members`(list: OperatorList) throws {
        let schema = try DocumentSchema()
        let rows = try schema.members(of: list.name, inAnswerOf: "/operator/\(list.route)")
        #expect(rows.names == Set(list.columns.map(\.name)), "\(list.name)")
        #expect(rows.required == rows.names, "\(list.name)")
    }

    @Test func `every problem type is documented and has a title`() throws {
        let schemas = try #require(try self.section("components")["schemas"] as? [String: Any])
        let type = try #require(schemas["ProblemType"] as? [String: Any])
        let documented = try #require(type["enum"] as? [String])
        #expect(documented == documented.sorted())
        #expect(Set(documented) == Set(ProblemType.all.keys.map { Problem.typeBase + $0 }))
    }

    @Test func `every refusal in SQL is documented`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../sql/functions")
        var found: Set<String> = []
        let files = try #require(
            FileManager.default.enumerator(at: root.standardizedFileURL, includingPropertiesForKeys: nil)
        )
        // These functions are called by administrators and the executable, never by a request.
        let unreachable = /(admin_\w+|advance_clock|mark_dev|set_cut_over|set_studio_time_zone)\b/
        for case let file as URL in files where file.pathExtension == "sql" {
            let functions = try String(contentsOf: file, encoding: .utf8).split(separator: "FUNCTION wallet.")
            for function in functions where function.prefixMatch(of: unreachable) == nil {
                // Refusals that may reach HTTP: RAISE with a WL code, and refusals of the booking functions.
                for pattern in [/ERRCODE = 'WL4\d\d', MESSAGE = '([a-z-]+)'/, /refusal\(\s*\d{3}, '([a-z-]+)'/] {
                    for match in function.matches(of: pattern) { found.insert(String(match.1)) }
                }
            }
        }
        #expect(found.contains("insufficient-credits") && found.contains("class-full"))
        #expect(found.subtracting(ProblemType.all.keys) == [])
    }

    @Test func `the document is served unchanged`() async throws {
        try await ServerHarness.withoutDatabase { server in
            let answer = try await server.send(.get, "/openapi.yaml")
            #expect(answer.status == 200)
            #expect(answer.headers[.contentType] == "application/yaml")
            #expect(answer.text == EmbeddedOpenAPI.yaml)
            #expect(answer.text.hasPrefix("openapi: 3.1"))
        }
    }
}
