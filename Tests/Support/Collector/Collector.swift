import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Synchronization

/// A collector on loopback that takes spans by OTLP/HTTP in JSON: keeps them, and answers as a test asks it to.
public final class Collector: Sendable {
    /// How one request is answered.
    public enum Answer: Sendable {
        case status(Int, retryAfter: Int? = nil)
        /// 200 and this body.
        case body(String)
        /// Nothing for so long, and then 200.
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

    /// Its address, as `OTEL_EXPORTER_OTLP_ENDPOINT` takes it.
    public var url: String { "http://127.0.0.1:\(self.port)" }

    /// What was sent, also what was refused.
    public var exports: [CollectedExport] { self.state.withLock { $0.exports } }
    /// All spans that were sent.
    public var spans: [CollectedSpan] { self.exports.flatMap(\.spans) }

    /// Answers the next requests so, and those after them with 200 or what ``answer(always:)`` says.
    public func answer(_ answers: Answer...) {
        self.state.withLock { $0.answers = answers }
    }

    /// Answers every request so that has no other answer.
    public func answer(always answer: Answer) {
        self.state.withLock { $0.usual = answer }
    }

    /// Waits for spans.
    ///
    /// - Parameters:
    ///   - time: For how long at most.
    ///   - isEnough: Whether these are those that are waited for.
    /// - Returns: All spans that have come.
    /// - Throws: ``TestSupportError`` when the time is up.
    @discardableResult
    public func wait(
        for time: Duration = .seconds(20),
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

    /// Runs a collector for as long as the body takes.
    ///
    /// - Parameter body: Gets the collector, which answers.
    /// - Throws: What the body throws.
    public static func run(_ body: @Sendable (Collector) async throws -> Void) async throws {
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let collectors = Mutex<Collector?>(nil)
        let router = Router()
        router.post("**") { request, _ in
            guard let collector = collectors.withLock({ $0 }) else { return Response(status: .serviceUnavailable) }
            return try await collector.take(request)
        }
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0), reuseAddress: false),
            onServerRunning: { listening.yield($0.localAddress?.port ?? 0) },
            logger: .quiet
        )
        let running = Task { try await application.run() }
        defer { running.cancel() }
        for await port in ports.prefix(1) { collectors.withLock { $0 = Collector(port: port) } }
        guard let collector = collectors.withLock({ $0 }) else { throw TestSupportError("no collector") }
        try await body(collector)
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
