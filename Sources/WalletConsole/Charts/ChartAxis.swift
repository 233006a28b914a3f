/// The range of a value axis and its ticks, at steps of 1, 2 or 5 times a power of ten.
struct ChartAxis: Sendable {
    let low: Int64
    let high: Int64
    let ticks: [Int64]

    /// Creates an axis that covers the values and zero with about five ticks.
    init(covering values: [Int64]) {
        low = min(values.min() ?? 0, 0)
        let top = max(values.max() ?? 0, 0)
        high = low == 0 && top == 0 ? 1 : top
        let span = UInt64(bitPattern: high &- low)
        let step = Self.step(for: span)
        // Ticks go up and down from zero and stop before Int64 overflows.
        var found: [Int64] = [0]
        var tick: Int64 = 0
        while case (let next, let overflow) = tick.addingReportingOverflow(step), !overflow, next <= high {
            found.append(next)
            tick = next
        }
        tick = 0
        while case (let next, let overflow) = tick.subtractingReportingOverflow(step), !overflow, next >= low {
            found.insert(next, at: 0)
            tick = next
        }
        ticks = found
    }

    /// Returns the position of a value between 0 (the low end) and 1 (the high end).
    func fraction(_ value: Int64) -> Double {
        // Only the position on the screen is a Double; labels show the exact integer.
        (Double(value) - Double(low)) / (Double(high) - Double(low))
    }

    private static func step(for span: UInt64) -> Int64 {
        var power: UInt64 = 1
        while true {
            for factor: UInt64 in [1, 2, 5] where span / (power * factor) <= 5 {
                return Int64(power * factor)
            }
            power *= 10
        }
    }
}
