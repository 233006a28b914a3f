public import HTTPTypes

/// An observer of every request, for metrics.
public protocol RequestObserver: Sendable {
    /// Called when a request arrives.
    ///
    /// - Parameter method: The request's method, which may be any text.
    func requestBegan(_ method: HTTPRequest.Method)

    /// Called when the response to a request is decided.
    ///
    /// - Parameter request: The request and its outcome.
    func requestEnded(_ request: ObservedRequest)
}

/// A request and its outcome.
public struct ObservedRequest: Sendable {
    /// The request's method.
    public let method: HTTPRequest.Method
    /// The pattern of the request's route; `NotFound` if no route matches.
    public let route: String
    /// The path without the query; it may contain user ids.
    public let path: String
    /// The response's status.
    public let status: Int
    /// The slug of the problem in the response; nil if there is none.
    public let problem: String?
    /// The time from the start of the request to its response.
    public let duration: Duration

    /// Creates a value, for tests.
    public init(
        method: HTTPRequest.Method,
        route: String,
        path: String,
        status: Int,
        problem: String? = nil,
        duration: Duration
    ) {
        self.method = method
        self.route = route
        self.path = path
        self.status = status
        self.problem = problem
        self.duration = duration
    }
}
