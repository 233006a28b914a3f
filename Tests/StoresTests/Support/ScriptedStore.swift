import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Synchronization
import Testing

/// A store's server on loopback that keeps what it is asked and answers by a script.
final class ScriptedStore: Sendable {
    struct Call: Sendable {
        let method: String
        /// The path and query exactly as sent.
        let target: String
        let authorization: String?
        let contentType: String?
        let body: String
    }

    struct Answer: Sendable {
        var status = 200
        var headers: [String: String] = [:]
        var body = "{}"
        var delay: Duration?
    }

    private let log = Mutex<[Call]>([])
    private let script: @Sendable (Call, Int) -> Answer

    private init(script: @escaping @Sendable (Call, Int) -> Answer) {
        self.script = script
    }

    var calls: [Call] { self.log.withLock { $0 } }

    func calls(to path: String) -> [Call] {
        self.calls.filter { $0.target.hasPrefix(path) }
    }

    /// Starts a server, runs the body and stops it.
    /// - Parameters:
    ///   - script: what to answer to a call, and how many came before it.
    ///   - body: gets the server, its address and a client.
    /// - Throws: what the body throws.
    static func run(
        answering script: @escaping @Sendable (Call, Int) -> Answer,
        _ body: @escaping @Sendable (ScriptedStore, String, HTTPClient) async throws -> Void
    ) async throws {
        let store = ScriptedStore(script: script)
        let router = Router()
        router.add(middleware: EveryPath(store: store))
        try await Application(router: router, logger: .silent).test(.live) { client in
            // A server that stops before it has taken the test client's own connection takes the process with it.
            _ = try await client.execute(uri: "/ready", method: .get)
            let port = try #require(client.port)
            let httpClient = HTTPClient(eventLoopGroupProvider: .singleton)
            do {
                try await body(store, "http://localhost:\(port)", httpClient)
            } catch {
                try await httpClient.shutdown()
                throw error
            }
            try await httpClient.shutdown()
        }
    }

    /// Starts a server that gives one answer to everything, runs the body and stops it.
    static func run(
        answering answer: Answer,
        _ body: @escaping @Sendable (ScriptedStore, String, HTTPClient) async throws -> Void
    ) async throws {
        let script: @Sendable (Call, Int) -> Answer = { _, _ in answer }
        try await self.run(answering: script, body)
    }

    private struct EveryPath<Context: RequestContext>: RouterMiddleware {
        let store: ScriptedStore

        func handle(
            _ request: Request,
            context: Context,
            next: (Request, Context) async throws -> Response
        ) async throws -> Response {
            if request.uri.path == "/ready" { return Response(status: .ok) }
            let body = try await request.body.collect(upTo: 1_000_000)
            let answer = self.store.answer(
                to: Call(
                    method: request.method.rawValue,
                    target: request.uri.string,
                    authorization: request.headers[.authorization],
                    contentType: request.headers[.contentType],
                    body: String(buffer: body)
                )
            )
            if let delay = answer.delay { try await Task.sleep(for: delay) }
            var headers: HTTPFields = [.contentType: "application/json"]
            for (name, value) in answer.headers {
                guard let name = HTTPField.Name(name) else { continue }
                headers[name] = value
            }
            return Response(
                status: .init(code: answer.status),
                headers: headers,
                body: ResponseBody(byteBuffer: ByteBuffer(string: answer.body))
            )
        }
    }

    private func answer(to call: Call) -> Answer {
        let before = self.log.withLock { log in
            log.append(call)
            return log.count - 1
        }
        return self.script(call, before)
    }
}
