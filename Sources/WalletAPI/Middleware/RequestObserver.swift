public import HTTPTypes

/// Learns of every request, for metrics.
public protocol RequestObserver: Sendable {
    /// A request has come.
    func requestBegan()

    /// What is answered to a request has been decided.
    ///
    /// - Parameters:
    ///   - method: The request's method.
    ///   - route: The pattern of its route, `NotFound` where none takes it.
    ///   - status: The answer's status.
    ///   - duration: The time that it took.
    func requestEnded(method: HTTPRequest.Method, route: String, status: Int, duration: Duration)
}
