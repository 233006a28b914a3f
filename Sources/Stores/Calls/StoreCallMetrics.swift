import Metrics
import NIOHTTP1
import Synchronization

import struct Foundation.URL

/// Measures the duration of calls to a store, by operation and result.
final class StoreCallMetrics: Sendable {
    private struct Key: Hashable {
        let operation: StoreOperation
        let method: String
        /// Scheme, host and port, without the path, which contains ids.
        let server: Substring
        let status: Int?
        let error: String?
    }

    private let durations = Mutex<[Key: Timer]>([:])

    /// Records one exchange.
    func note(_ request: StoreCall.Request, _ outcome: StoreCall.Outcome, took duration: Duration) {
        let (status, error) = Self.result(of: outcome)
        let key = Key(
            operation: request.operation,
            method: request.method.rawValue,
            server: Self.server(request.url),
            status: status,
            error: error
        )
        self.timer(of: key).record(duration: duration)
    }

    private static func result(of outcome: StoreCall.Outcome) -> (status: Int?, error: String?) {
        switch outcome {
        case .answered(let status, _, _) where (200..<300).contains(status): (status, nil)
        case .answered(let status, _, _) where status >= 400: (status, "\(status)")
        case .answered(let status, _, _): (status, "unusable")
        case .unusable: (nil, "unusable")
        case .unreachable: (nil, "unreachable")
        }
    }

    /// Returns the part of a URL before its path.
    private static func server(_ url: String) -> Substring {
        guard let scheme = url.firstRange(of: "://") else { return "" }
        return url[..<(url[scheme.upperBound...].firstIndex { "/?#".contains($0) } ?? url.endIndex)]
    }

    private func timer(of key: Key) -> Timer {
        self.durations.withLock { durations in
            if let known = durations[key] { return known }
            let timer = Timer(label: "http_client_request_duration_seconds", dimensions: Self.labels(of: key))
            durations[key] = timer
            return timer
        }
    }

    private static func labels(of key: Key) -> [(String, String)] {
        let url = URL(string: String(key.server))
        var labels = [
            ("wallet.store", key.operation.store), ("wallet.store.operation", key.operation.name),
            ("http.request.method", key.method), ("server.address", url?.host() ?? ""),
            ("server.port", "\(url?.port ?? (url?.scheme == "http" ? 80 : 443))"),
        ]
        if let status = key.status { labels.append(("http.response.status_code", "\(status)")) }
        if let error = key.error { labels.append(("error.type", error)) }
        return labels
    }
}
