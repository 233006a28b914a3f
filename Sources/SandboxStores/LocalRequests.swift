import HTTPTypes
public import Hummingbird

/// Refuses requests that a web page in the developer's browser sends, on servers that only this machine's programs use.
///
/// A page that knows the port can send forms to loopback, and by a name of its own that leads there (DNS rebinding) it
/// reads the answers, too. So the `Host` must be a name of loopback with this port (421), a page that names itself as
/// `Origin` must be one of those meant (403), and a body must be what no form sends, JSON (415).
public struct LocalRequests<Context: RequestContext>: RouterMiddleware {
    /// Which pages may send requests.
    public enum Pages: Sendable {
        /// Those that this server serves.
        case own
        /// Those that any server on this machine serves, such as one that a front end is developed with.
        case local
    }

    private let port: @Sendable () -> Int?
    private let pages: Pages
    private let takesAnyBody: @Sendable (Request) -> Bool

    /// Makes the check.
    ///
    /// - Parameters:
    ///   - port: The port that is listened on; nil while there is none.
    ///   - pages: Which pages may send requests.
    ///   - takesAnyBody: Whether a request's body may be something else than JSON; none may by default.
    public init(
        port: @escaping @Sendable () -> Int?,
        pages: Pages,
        takesAnyBody: @escaping @Sendable (Request) -> Bool = { _ in false }
    ) {
        self.port = port
        self.pages = pages
        self.takesAnyBody = takesAnyBody
    }

    /// Lets a request through or refuses it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: What is known about it.
    ///   - next: What answers it.
    /// - Returns: Its answer.
    /// - Throws: `HTTPError` 421, 403 or 415, and what `next` throws.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let host = LocalHost(request.head.authority), self.port() ?? host.port == host.port else {
            throw HTTPError(.misdirectedRequest, message: "Use 127.0.0.1 or localhost, with the port.")
        }
        guard self.allows(origins: request.headers[values: .origin], of: host) else {
            throw HTTPError(.forbidden, message: "Pages of other servers may not use this one.")
        }
        guard !request.hasBody || request.isJSON || self.takesAnyBody(request) else {
            throw HTTPError(.unsupportedMediaType, message: "Send the body as application/json.")
        }
        return try await next(request, context)
    }

    private func allows(origins: [String], of host: LocalHost) -> Bool {
        guard let origin = origins.first else { return true }
        guard origins.count == 1, let page = LocalHost(origin: origin) else { return false }
        return self.pages == .local || (page == host && origin.lowercased().hasPrefix("http:"))
    }
}

/// A name of this machine's loopback, with a port.
private struct LocalHost: Equatable {
    private static let names: Set<String> = ["127.0.0.1", "localhost", "[::1]"]

    let name: String
    let port: Int

    /// Reads a `Host` field's value; nil for one that names something else.
    init?(_ authority: String?, defaultPort: Int = 80) {
        guard let authority = authority?.lowercased(),
            let name = Self.names.first(where: { authority == $0 || authority.hasPrefix("\($0):") })
        else { return nil }
        self.name = name
        guard authority != name else {
            self.port = defaultPort
            return
        }
        guard let port = Int(authority.dropFirst(name.count + 1)), (1...65_535).contains(port) else { return nil }
        self.port = port
    }

    /// Reads an `Origin` field's value; nil for one that names something else.
    init?(origin: String) {
        let parts = origin.lowercased().split(separator: "://", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "http": self.init(String(parts[1]))
        case "https": self.init(String(parts[1]), defaultPort: 443)
        default: return nil
        }
    }
}

extension Request {
    fileprivate var hasBody: Bool {
        self.headers[.transferEncoding] != nil || self.headers[.contentLength].map { $0 != "0" } == true
    }

    fileprivate var isJSON: Bool {
        guard let type = self.headers[.contentType]?.lowercased() else { return false }
        return type.prefix { $0 != ";" && $0 != " " && $0 != "\t" } == "application/json"
    }
}
