import CoreMetrics
import Synchronization

/// A number that increases and decreases; it is not exported before it is first set.
final class GaugeSeries: MetricSeries, MeterHandler, RecorderHandler {
    private let value = Mutex<Double?>(nil)

    func set(_ value: Int64) { self.set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func record(_ value: Int64) { self.set(Double(value)) }
    func record(_ value: Double) { self.set(value) }
    func increment(by amount: Double) { self.value.withLock { $0 = ($0 ?? 0) + amount } }
    func decrement(by amount: Double) { self.increment(by: -amount) }

    func write(_ name: String, labels: String, to text: inout String) {
        guard let value = self.value.withLock({ $0 }) else { return }
        text += "\(PrometheusText.sample(name, labels)) \(PrometheusText.number(value))\n"
    }
}
