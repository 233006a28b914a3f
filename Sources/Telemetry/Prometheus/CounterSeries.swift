import CoreMetrics
import Synchronization

/// A number that only increases.
final class CounterSeries: MetricSeries, CounterHandler, FloatingPointCounterHandler {
    private let value = Mutex(0.0)

    func increment(by amount: Int64) {
        self.increment(by: Double(amount))
    }

    /// Adds an amount; ignores zero, negative amounts and NaN.
    func increment(by amount: Double) {
        guard amount > 0 else { return }
        self.value.withLock { $0 += amount }
    }

    func reset() {
        self.value.withLock { $0 = 0 }
    }

    func write(_ name: String, labels: String, to text: inout String) {
        let value = self.value.withLock { $0 }
        text += "\(PrometheusText.sample(name, labels)) \(PrometheusText.number(value))\n"
    }
}
