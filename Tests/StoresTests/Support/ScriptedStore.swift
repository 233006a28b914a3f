import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Synchronization
import Testing

/// A store's server on loopback that records requests and returns scripted responses.
final class ScriptedStore: Sendable {
    struct Call: Sendable {
        let method: String
        /// The path and query exactly as received.
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

    /// Starts a server, runs the body and stops the server.
    ///
    /// - Parameters:
    ///   - script: A closure that returns the response to a call, given the number of earlier calls.
    ///   - body: A closure that receives the server, its address and a client.
    /// - Throws: An error that the body throws.
    static func run(
        answering script: @escaping @Sendable (Call, Int) -> Answer,
        _ body: @escaping @Sendable (ScriptedStore, String, HTTPClient) async throws -> Void
    ) async throws {
        let store = ScriptedStore(script: script)
        let router = Router()
        router.add(middleware: EveryPath(store: store))
        try await Application(router: router, logger: .silent).test(.live) { client in
            // Connects the test client first: a server that stops before it accepts this connection crashes the
            // process.
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

    /// Starts a server with one response to every request, runs the body and stops the server.
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
