import HTTPTypes
public import Hummingbird

/// Refuses requests from web pages in the developer's browser, on servers that are only for programs on this machine.
///
/// A web page with the server's port can send forms to loopback. With a host name that resolves to loopback (DNS
/// rebinding) it can also read the answers. So the `Host` must be a loopback name with this port (421), an `Origin`
/// must be one of the allowed pages (403), and a body must be JSON, which forms cannot send (415).
public struct LocalRequests<Context: RequestContext>: RouterMiddleware {
    /// The pages that may send requests.
    public enum Pages: Sendable {
        /// Pages of this server.
        case own
        /// Pages of any server on this machine, such as a front end's development server.
        case local
    }

    private let port: @Sendable () -> Int?
    private let pages: Pages
    private let takesAnyBody: @Sendable (Request) -> Bool

    /// Creates the middleware.
    ///
    /// - Parameters:
    ///   - port: Returns the server's port; nil while it is not listening.
    ///   - pages: The pages that may send requests.
    ///   - takesAnyBody: Returns `true` if a request's body may be other than JSON; `false` by default.
    public init(
        port: @escaping @Sendable () -> Int?,
        pages: Pages,
        takesAnyBody: @escaping @Sendable (Request) -> Bool = { _ in false }
    ) {
        self.port = port
        self.pages = pages
        self.takesAnyBody = takesAnyBody
    }

    /// Passes a request on or refuses it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The request's context.
    ///   - next: The next handler.
    /// - Returns: The next handler's response.
    /// - Throws: `HTTPError` 421, 403 or 415, and errors of `next`.
    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let host = LocalHost(request.head.authority), self.port() ?? host.port == host.port else {
            throw HTTPError(.misdirectedRequest, message: "Use 127.0.0.1 or localhost, with the port.")
        }
        guard self.allows(origins: request.headers[values: .origin], of: host) else {
            throw HTTPError(.forbidden, message: "Pages of other servers must not send requests to this one.")
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

/// A loopback name with a port.
private struct LocalHost: Equatable {
    private static let names: Set<String> = ["127.0.0.1", "localhost", "[::1]"]

    let name: String
    let port: Int

    /// Parses a `Host` header; nil for another host.
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

    /// Parses an `Origin` header; nil for another host.
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
