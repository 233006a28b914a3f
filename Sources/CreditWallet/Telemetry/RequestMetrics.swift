import HTTPTypes
import Metrics
import Synchronization
import WalletAPI

/// Records request metrics, and finds existing series without formatting their labels.
final class RequestMetrics: RequestObserver {
    private struct Key: Hashable {
        let method: String
        let route: String?
        let status: Int
        let problem: String?
    }

    /// The active requests by method; unknown methods share one series.
    private let active: [String: Meter]
    private let known = Mutex<[Key: Timer]>([:])

    init() {
        let methods = HTTPServerNames.methods.map(\.rawValue) + [HTTPServerNames.otherMethod]
        self.active = Dictionary(
            uniqueKeysWithValues: methods.map { method in
                (method, Meter(label: "http_server_active_requests", dimensions: Self.labels(method)))
            }
        )
    }

    func requestBegan(_ method: HTTPRequest.Method) { self.active[HTTPServerNames.method(method)]?.increment() }

    func requestEnded(_ request: ObservedRequest) {
        let method = HTTPServerNames.method(request.method)
        self.active[method]?.decrement()
        let key = Key(
            method: method,
            route: HTTPServerNames.route(request.route),
            status: request.status,
            problem: request.status >= 500 ? request.problem : nil
        )
        self.duration(of: key).record(duration: request.duration)
    }

    private func duration(of key: Key) -> Timer {
        self.known.withLock { known in
            if let timer = known[key] { return timer }
            var labels = Self.labels(key.method) + [("http.response.status_code", "\(key.status)")]
            if let route = key.route { labels.append(("http.route", route)) }
            if key.status >= 500 { labels.append(("error.type", key.problem ?? "\(key.status)")) }
            let timer = Timer(label: "http_server_request_duration_seconds", dimensions: labels)
            known[key] = timer
            return timer
        }
    }

    private static func labels(_ method: String) -> [(String, String)] {
        [("http.request.method", method), ("url.scheme", HTTPServerNames.scheme)]
    }
}

/// Reports each request to several observers.
struct RequestObservers: RequestObserver {
    let observers: [any RequestObserver]

    func requestBegan(_ method: HTTPRequest.Method) {
        for observer in self.observers { observer.requestBegan(method) }
    }

    func requestEnded(_ request: ObservedRequest) {
        for observer in self.observers { observer.requestEnded(request) }
    }
}

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
