import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// A collector on loopback that records spans sent by OTLP/HTTP in JSON and answers as a test configures it.
public final class Collector: Sendable {
    /// The response to one request.
    public enum Answer: Sendable {
        case status(Int, retryAfter: Int? = nil)
        /// Status 200 with this body.
        case body(String)
        /// No response for this long, then 200.
        case hang(Duration)
    }

    private struct State {
        var exports: [CollectedExport] = []
        var answers: [Answer] = []
        var usual = Answer.status(200)
    }

    /// The collector that a suite's trait runs.
    @TaskLocal public static var scoped: Collector?

    private let state = Mutex(State())
    private let port: Int

    private init(port: Int) {
        self.port = port
    }

    /// The collector's address, for `OTEL_EXPORTER_OTLP_ENDPOINT`.
    public var url: String { "http://127.0.0.1:\(self.port)" }

    /// All requests so far, including refused ones.
    public var exports: [CollectedExport] { self.state.withLock { $0.exports } }
    /// All spans received so far.
    public var spans: [CollectedSpan] { self.exports.flatMap(\.spans) }

    /// Sets the responses to the next requests; later requests get 200, or the response set by ``answer(always:)``.
    public func answer(_ answers: [Answer]) {
        self.state.withLock { $0.answers = answers }
    }

    /// Sets the response to every request without a specific one.
    public func answer(always answer: Answer) {
        self.state.withLock { $0.usual = answer }
    }

    /// Waits until the collector has received enough spans.
    ///
    /// - Parameters:
    ///   - time: The time limit.
    ///   - isEnough: A closure that returns whether the spans are enough.
    /// - Returns: All spans received so far.
    /// - Throws: ``TestSupportError`` after the time limit.
    @discardableResult
    public func wait(
        for time: Duration = .seconds(60),
        until isEnough: @Sendable ([CollectedSpan]) -> Bool
    ) async throws -> [CollectedSpan] {
        let deadline = ContinuousClock.now + time
        while true {
            let spans = self.spans
            if isEnough(spans) { return spans }
            guard ContinuousClock.now < deadline else {
                throw TestSupportError("the collector did not get the spans in time, but \(spans.map(\.name))")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Runs a collector while the body runs.
    ///
    /// - Parameter body: A closure that receives the running collector.
    /// - Throws: An error that the body throws.
    public static func run(_ body: @Sendable (Collector) async throws -> Void) async throws {
        let collectors = Mutex<Collector?>(nil)
        let router = Router()
        router.post("**") { request, _ in
            guard let collector = collectors.withLock({ $0 }) else { return Response(status: .serviceUnavailable) }
            return try await collector.take(request)
        }
        try await LocalServer.run(router) { port in
            let collector = Collector(port: port)
            collectors.withLock { $0 = collector }
            try await body(collector)
        }
    }

    private func take(_ request: Request) async throws -> Response {
        let body = String(buffer: try await request.body.collect(upTo: 16 * 1_048_576))
        let export = try CollectedExport(request.uri.path, request.headers, body)
        let answer = self.state.withLock { state in
            state.exports.append(export)
            return state.answers.isEmpty ? state.usual : state.answers.removeFirst()
        }
        switch answer {
        case .status(let code, let retryAfter):
            var response = Response(status: .init(code: code))
            if let retryAfter { response.headers[.retryAfter] = "\(retryAfter)" }
            return response
        case .body(let text): return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
        case .hang(let time):
            try await Task.sleep(for: time)
            return Response(status: .ok)
        }
    }
}
