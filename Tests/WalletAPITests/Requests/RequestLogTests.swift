import Foundation
import HTTPTypes
import Testing

@Suite struct RequestLogTests {
    @Test func `a request is logged by its pattern, without anything of the user's`() async throws {
        let lines = LogLines()
        try await ServerHarness.withoutDatabase(logger: lines.logger()) { server in
            let token = try ServerHarness.token("very-private-user")
            _ = try await server.send(
                .get,
                "/purchases/private-transaction?cursor=private-cursor!",
                token: token,
                headers: ["X-Request-Id": "request-7", "X-Private": "private-field"]
            )
            _ = try await server.send(.post, "/receipts", token: token, body: #"{"private-body":1}"#)
            let request = try #require(lines.all.first { $0.contains("purchases") })
            #expect(request.hasPrefix("info request"))
            for part in ["GET", "/purchases/", "status", "duration_ms", "request-7"] { #expect(request.contains(part)) }
            for line in lines.all {
                #expect(!line.contains("private"), "\(line)")
                #expect(!line.contains(token))
            }
        }
    }
}
