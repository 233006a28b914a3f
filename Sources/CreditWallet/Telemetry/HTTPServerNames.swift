import HTTPTypes

/// The names of requests in metrics and spans, which never contain client-defined texts.
enum HTTPServerNames {
    /// The name of an unknown method.
    static let otherMethod = "_OTHER"
    /// TLS terminates before this service.
    static let scheme = "http"

    static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options]
    /// Hummingbird's pattern for a path that no route matches.
    private static let noRoute = "NotFound"

    static func method(_ method: HTTPRequest.Method) -> String {
        self.methods.contains(method) ? method.rawValue : self.otherMethod
    }

    /// Returns the pattern of a route; nil if no route matched.
    static func route(_ pattern: String?) -> String? { pattern == self.noRoute ? nil : pattern }
}
