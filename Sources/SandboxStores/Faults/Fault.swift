import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A simulated failure of a store's endpoint.
struct Fault: Sendable {
    /// The kind of failure.
    enum Kind: Sendable {
        /// A late but correct answer.
        case slow
        /// An HTTP status with a custom body.
        case http(Int, body: String)
        /// A status of the verification endpoint.
        case store(Int, isRetryable: Bool?)
        /// A web page instead of JSON.
        case html
        /// Half of a body, then a closed connection.
        case truncated
        /// No answer while the connection stays open.
        case hang
        /// A connection reset.
        case reset
    }

    private struct Broken: Error {}

    let kind: Kind
    let delay: Duration

    /// Applies the fault to a request.
    /// - Parameter context: The request's context.
    /// - Returns: The faulty answer, or nil to answer normally.
    /// - Throws: `CancellationError` when the stores shut down during the fault.
    func apply(in context: SandboxContext) async throws -> Response? {
        if self.delay > .zero {
            try await Self.wait(self.delay)
        }
        switch self.kind {
        case .slow: return nil
        case .http(let status, let body): return Self.answer(.init(code: status), body, type: "text/plain")
        case .store(let status, let isRetryable):
            return try .apple(SandboxLedger.status(status, isRetryable: isRetryable))
        case .html: return Self.answer(.ok, "<html><body><h1>Service Unavailable</h1></body></html>", type: "text/html")
        case .truncated: return Self.truncated
        case .hang:
            try await Self.wait(.seconds(3_600))
            return Self.answer(.serviceUnavailable, "", type: "text/plain")
        case .reset:
            try await Self.reset(context.channel)
            return Self.answer(.serviceUnavailable, "", type: "text/plain")
        }
    }

    // A graceful shutdown must not wait for a fault to end.
    private static func wait(_ duration: Duration) async throws {
        try await cancelWhenGracefulShutdown { try await Task.sleep(for: duration) }
    }

    private static func answer(_ status: HTTPResponse.Status, _ body: String, type: String) -> Response {
        Response(
            status: status,
            headers: [.contentType: type],
            body: ResponseBody(byteBuffer: ByteBuffer(string: body))
        )
    }

    private static var truncated: Response {
        let half = #"{"status":0,"environment":"Production","receipt":{"receipt_type":"Prod"#
        return Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: ResponseBody(contentLength: half.utf8.count * 2) { writer in
                try await writer.write(ByteBuffer(string: half))
                throw Broken()
            }
        )
    }

    /// A linger time of zero makes the system send RST instead of FIN.
    private static func reset(_ channel: any Channel) async throws {
        if let provider = channel as? any SocketOptionProvider {
            try await provider.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        try await channel.close().get()
    }
}
