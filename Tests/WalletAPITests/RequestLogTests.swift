import Foundation
import HTTPTypes
import Logging
import Synchronization
import Testing

@Suite struct RequestLogTests {
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { self.lines.withLock { $0 } }
        func add(_ line: String) { self.lines.withLock { $0.append(line) } }
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = self.metadata.merging(event.metadata ?? [:]) { $1 }
            self.lines.add("\(event.level) \(event.message) \(metadata)")
        }
    }

    @Test func `a request is logged by its pattern, without anything of the user's`() async throws {
        let lines = Lines()
        let logger = Logger(label: "test") { _ in Handler(lines: lines) }
        try await ServerHarness.withoutDatabase(logger: logger) { server in
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
