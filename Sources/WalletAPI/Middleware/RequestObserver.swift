public import HTTPTypes

/// Learns of every request, for metrics.
public protocol RequestObserver: Sendable {
    /// A request has come.
    ///
    /// - Parameter method: Its method, which may be any text.
    func requestBegan(_ method: HTTPRequest.Method)

    /// What is answered to a request has been decided.
    ///
    /// - Parameter request: The request and its answer.
    func requestEnded(_ request: ObservedRequest)
}

/// A request and what was answered.
public struct ObservedRequest: Sendable {
    /// The request's method.
    public let method: HTTPRequest.Method
    /// The pattern of its route, `NotFound` where none takes it.
    public let route: String
    /// Its path without the query; may hold users' ids.
    public let path: String
    /// The answer's status.
    public let status: Int
    /// The slug of the problem that was answered, nil for none.
    public let problem: String?
    /// The time that it took.
    public let duration: Duration

    /// Makes a value, for tests.
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
