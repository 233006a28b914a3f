import CoreMetrics
import Synchronization

/// The distribution of values over buckets, and their sum.
final class HistogramSeries: MetricSeries, TimerHandler, RecorderHandler {
    private struct State {
        /// The count of each bucket; each value is in one bucket, and the last bucket has no bound.
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        self.state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func recordNanoseconds(_ duration: Int64) { self.record(Double(duration) / 1_000_000_000) }
    func record(_ value: Int64) { self.record(Double(value)) }

    /// Records one value; ignores NaN.
    func record(_ value: Double) {
        guard !value.isNaN else { return }
        let bucket = self.bounds.firstIndex { value <= $0 } ?? self.bounds.count
        self.state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }

    func write(_ name: String, labels: String, to text: inout String) {
        let state = self.state.withLock { $0 }
        var total: UInt64 = 0
        for (bound, count) in zip(self.bounds + [.infinity], state.counts) {
            total += count
            let le = "le=\"\(PrometheusText.number(bound))\""
            text += "\(PrometheusText.sample("\(name)_bucket", labels, and: le)) \(total)\n"
        }
        text += "\(PrometheusText.sample("\(name)_sum", labels)) \(PrometheusText.number(state.sum))\n"
        text += "\(PrometheusText.sample("\(name)_count", labels)) \(total)\n"
    }
}
