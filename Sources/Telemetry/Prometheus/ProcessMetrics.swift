public import CoreMetrics
import Foundation
import Synchronization

/// Metrics of the process from the kernel, with the names of Prometheus' client libraries.
///
/// They are read from `/proc`; on systems without it, nothing is exported.
public final class ProcessMetrics: Sendable {
    /// The metric families.
    public static let descriptions: [MetricDescription] = [
        .counter("process_cpu_seconds_total", "Processor time of the process, user and system."),
        .gauge("process_resident_memory_bytes", "Resident memory of the process."),
        .gauge("process_open_fds", "Open file descriptors."),
        .gauge("process_start_time_seconds", "Start time of the process, in seconds since 1970."),
    ]

    private let resident: Meter
    private let descriptors: Meter
    private let started: Meter
    private let processor: FloatingPointCounter
    private let counted = Mutex(0.0)

    /// Creates the metrics.
    ///
    /// - Parameter factory: The factory of the metrics.
    public init(factory: any MetricsFactory) {
        self.resident = Meter(label: "process_resident_memory_bytes", factory: factory)
        self.descriptors = Meter(label: "process_open_fds", factory: factory)
        self.started = Meter(label: "process_start_time_seconds", factory: factory)
        self.processor = FloatingPointCounter(label: "process_cpu_seconds_total", factory: factory)
    }

    /// Updates all metrics.
    public func update() {
        if let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            // The listing itself opens one descriptor.
            self.descriptors.set(max(open.count - 1, 0))
        }
        guard let stat = Self.fields(of: "/proc/self/stat") else { return }
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        if let pages = stat[24] { self.resident.set(pages * Double(sysconf(Int32(_SC_PAGESIZE)))) }
        if let user = stat[14], let system = stat[15] {
            let seconds = (user + system) / ticks
            let news = self.counted.withLock { counted in
                defer { counted = seconds }
                return seconds - counted
            }
            self.processor.increment(by: news)
        }
        if let start = stat[22], let boot = Self.bootTime { self.started.set(boot + start / ticks) }
    }

    private static let bootTime: Double? = {
        let lines = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8))?.split(separator: "\n") ?? []
        return lines.first { $0.hasPrefix("btime ") }.flatMap { Double($0.dropFirst(6)) }
    }()

    /// Returns the numbers in a file such as `/proc/self/stat` by their position from 1; the second field, a name, may
    /// contain any character.
    private static func fields(of path: String) -> [Int: Double]? {
        guard
            let text = try? String(contentsOfFile: path, encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let rest = text[text.index(after: end)...].split(separator: " ")
        return Dictionary(
            uniqueKeysWithValues: rest.enumerated().compactMap { place, field in
                Double(field.trimmingCharacters(in: .newlines)).map { (place + 3, $0) }
            }
        )
    }
}
