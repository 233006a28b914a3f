import HTTPTypes

/// How requests are named in metrics and spans: never by anything that a client made up.
enum HTTPServerNames {
    /// What a method is called that is none of the known ones.
    static let otherMethod = "_OTHER"
    /// TLS ends before this service.
    static let scheme = "http"

    static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options]
    /// The pattern that Hummingbird gives a path that no route takes.
    private static let noRoute = "NotFound"

    static func method(_ method: HTTPRequest.Method) -> String {
        self.methods.contains(method) ? method.rawValue : self.otherMethod
    }

    /// The pattern of a route; nil where none took the request.
    static func route(_ pattern: String?) -> String? { pattern == self.noRoute ? nil : pattern }
}
