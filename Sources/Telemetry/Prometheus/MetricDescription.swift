/// A family of metrics: its name, its help text and its kind.
public struct MetricDescription: Sendable {
    /// The kind of a metric family.
    public enum Kind: Sendable, Equatable {
        /// A number that only increases.
        case counter
        /// A number that increases and decreases.
        case gauge
        /// The number of values at or below each bound; bounds are ascending and do not include infinity.
        case histogram(bounds: [Double])
    }

    /// Bounds for durations from half a millisecond to ten seconds.
    public static let seconds = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    /// Bounds for durations of up to a day.
    public static let longSeconds = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 21_600, 86_400]

    let name: String
    let help: String
    let kind: Kind

    private init(_ name: String, _ help: String, _ kind: Kind) {
        self.name = name
        self.help = help
        self.kind = kind
    }

    /// Describes a counter.
    ///
    /// - Parameters:
    ///   - name: The family's name, which ends in `_total`.
    ///   - help: The help text.
    /// - Returns: The description.
    public static func counter(_ name: String, _ help: String) -> Self {
        Self(name, help, .counter)
    }

    /// Describes a gauge.
    ///
    /// - Parameters:
    ///   - name: The family's name.
    ///   - help: The help text.
    /// - Returns: The description.
    public static func gauge(_ name: String, _ help: String) -> Self {
        Self(name, help, .gauge)
    }

    /// Describes a histogram.
    ///
    /// - Parameters:
    ///   - name: The family's name, which ends in the unit.
    ///   - help: The help text.
    ///   - bounds: The upper bounds of the buckets, ascending, without infinity.
    /// - Returns: The description.
    public static func histogram(_ name: String, _ help: String, bounds: [Double] = Self.seconds) -> Self {
        Self(name, help, .histogram(bounds: bounds))
    }
}
