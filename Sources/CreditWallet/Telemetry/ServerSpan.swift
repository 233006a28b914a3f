import HTTPTypes
import Hummingbird
import Telemetry
import Tracing

/// The span of a request, according to OpenTelemetry's conventions for HTTP servers.
///
/// It contains the pattern of the route instead of the path, which contains ids, and no queries, fields or bodies.
struct ServerSpan: Sendable {
    private static let redacted = "REDACTED"

    private let span: TraceSpan
    private let method: String
    private let authority: String?

    init(_ span: TraceSpan, _ request: Request) {
        self.span = span
        self.method = HTTPServerNames.method(request.method)
        self.authority = request.head.authority
    }

    /// The trace context of the request.
    var context: ServiceContext { self.span.context }

    /// Ends the span.
    ///
    /// - Parameters:
    ///   - status: The response's status.
    ///   - route: Hummingbird's pattern of the route.
    ///   - problem: The slug of the problem in the response.
    func end(status: Int, route: String?, problem: String? = nil) {
        if self.span.isRecording { self.describe(status, HTTPServerNames.route(route), problem) }
        self.span.end()
    }

    private func describe(_ status: Int, _ route: String?, _ problem: String?) {
        let name = self.method == HTTPServerNames.otherMethod ? "HTTP" : self.method
        self.span.operationName = route.map { "\(name) \($0)" } ?? name
        self.span.updateAttributes { attributes in
            attributes["http.request.method"] = self.method
            attributes["http.response.status_code"] = status
            attributes["http.route"] = route
            attributes["url.path"] = route ?? Self.redacted
            attributes["url.scheme"] = HTTPServerNames.scheme
            attributes["wallet.problem"] = problem
            if let (host, port) = self.authority.flatMap(Self.server) {
                attributes["server.address"] = host
                attributes["server.port"] = port
            }
            if status >= 500 { attributes["error.type"] = problem ?? "\(status)" }
        }
        if status >= 500 { self.span.setStatus(SpanStatus(code: .error)) }
    }

    /// Returns the host and port of the request; nil if the text is not a host name, because clients can send any text.
    private static func server(_ authority: String) -> (String, Int?)? {
        guard let parts = authority.wholeMatch(of: /([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::([0-9]{1,5}))?/)
        else { return nil }
        return (String(parts.1), parts.2.flatMap { Int($0) })
    }
}
