import Metrics
import Synchronization

/// Measures calls to the stores: how many ended how, and how long each took.
enum StoreCallMetrics {
    private struct Ending: Hashable {
        let operation: StoreOperation
        let result: String
    }

    private static let calls = Mutex<[Ending: Counter]>([:])
    private static let durations = Mutex<[StoreOperation: Timer]>([:])

    /// Notes one exchange.
    static func note(_ operation: StoreOperation, _ outcome: StoreCall.Outcome, took duration: Duration) {
        let ending = Ending(operation: operation, result: self.result(of: outcome))
        self.counter(of: ending).increment()
        self.timer(of: operation).record(duration: duration)
    }

    private static func result(of outcome: StoreCall.Outcome) -> String {
        switch outcome {
        case .answered(200..<300, _, _): "2xx"
        case .answered(400..<500, _, _): "4xx"
        case .answered(500..<600, _, _): "5xx"
        case .answered, .unusable: "unusable"
        case .unreachable: "unreachable"
        }
    }

    private static func counter(of ending: Ending) -> Counter {
        self.calls.withLock { calls in
            if let known = calls[ending] { return known }
            let counter = Counter(
                label: "wallet_store_calls_total",
                dimensions: self.labels(of: ending.operation) + [("result", ending.result)]
            )
            calls[ending] = counter
            return counter
        }
    }

    private static func timer(of operation: StoreOperation) -> Timer {
        self.durations.withLock { durations in
            if let known = durations[operation] { return known }
            let timer = Timer(label: "wallet_store_call_duration_seconds", dimensions: self.labels(of: operation))
            durations[operation] = timer
            return timer
        }
    }

    private static func labels(of operation: StoreOperation) -> [(String, String)] {
        [("store", operation.store), ("operation", operation.name)]
    }
}
