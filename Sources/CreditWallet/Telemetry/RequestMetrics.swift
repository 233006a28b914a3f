import HTTPTypes
import Metrics
import Synchronization
import WalletAPI

/// The metrics of requests, each found again without making a text of its labels.
final class RequestMetrics: RequestObserver {
    private struct Key: Hashable {
        let method: String
        let route: String
        let status: Int
    }

    private struct Series: Sendable {
        let count: Counter
        let duration: Timer
    }

    private static let methods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .patch, .delete, .options]
    /// The pattern that Hummingbird gives a path that no route takes.
    private static let noRoute = "NotFound"

    private let underWay = Meter(label: "http_requests_in_flight")
    private let known = Mutex<[Key: Series]>([:])

    func requestBegan() { self.underWay.increment() }

    func requestEnded(_ request: ObservedRequest) {
        let (method, route) = (request.method, request.route)
        self.underWay.decrement()
        // Where no route took it, the method may be anything that somebody made up.
        let isBounded = route != Self.noRoute || Self.methods.contains(method)
        let name = isBounded ? method.rawValue : "other"
        let series = self.series(of: Key(method: name, route: route, status: request.status))
        series.count.increment()
        series.duration.record(duration: request.duration)
    }

    private func series(of key: Key) -> Series {
        self.known.withLock { known in
            if let series = known[key] { return series }
            let labels = [("method", key.method), ("route", key.route)]
            let series = Series(
                count: Counter(label: "http_requests_total", dimensions: labels + [("status", "\(key.status)")]),
                duration: Timer(label: "http_request_duration_seconds", dimensions: labels)
            )
            known[key] = series
            return series
        }
    }
}
