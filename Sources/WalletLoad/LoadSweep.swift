import CommandOutput
package import Foundation

/// The results of several loads at increasing rates, with the place of the measurement.
package struct LoadSweep: Sendable {
    private let reports: [LoadReport]
    /// The release of this program.
    private let version: String
    /// The version of the service's PostgreSQL; nil if there was no database to check.
    private let database: String?
    private let date: Date

    package init(_ reports: [LoadReport], version: String, database: String?, at date: Date = Date()) {
        self.reports = reports
        self.version = version
        self.database = database
        self.date = date
    }

    /// The results as a table with aligned columns.
    package var text: String {
        let head = ["rate/s", "booked/s", "p50 ms", "p99 ms", "max ms", "refused", "failed"]
        let rows = self.rows.map { row in
            [
                Self.number(row.rate), Self.number(row.bookedPerSecond), String(format: "%.2f", row.p50Ms),
                String(format: "%.2f", row.p99Ms), String(format: "%.2f", row.maxMs), "\(row.refused)", "\(row.failed)",
            ]
        }
        let lines = ([head] + rows).map { cells in
            cells.map { String(repeating: " ", count: max(12 - $0.count, 1)) + $0 }.joined()
        }
        return ([self.place] + lines).joined(separator: "\n")
    }

    /// Returns the results and the place of the measurement as JSON.
    package func json() throws -> Data {
        let figures = Figures(
            version: self.version,
            processor: Self.processor,
            postgresql: self.database,
            date: self.day,
            rows: self.rows
        )
        return Data(try CommandJSON.text(figures).utf8) + Data("\n".utf8)
    }

    private struct Figures: Encodable {
        let version: String
        let processor: String
        let postgresql: String?
        let date: String
        let rows: [Row]
    }

    private struct Row: Encodable {
        let rate: Double
        let bookedPerSecond: Double
        let p50Ms: Double
        let p99Ms: Double
        let maxMs: Double
        let refused: Int
        let failed: Int
        let books: String
    }

    private var rows: [Row] {
        self.reports.compactMap { report in
            guard case .open(let rate) = report.plan.pace else { return nil }
            let latencies = LoadLatencies(report.tally.latency)
            return Row(
                rate: rate,
                bookedPerSecond: report.bookedPerSecond,
                p50Ms: latencies.p50,
                p99Ms: latencies.p99,
                maxMs: latencies.max,
                refused: report.tally.refused,
                failed: report.tally.failed,
                books: report.stateOfBooks
            )
        }
    }

    /// The measured release, database, processors and day.
    private var place: String {
        let database = self.database.map { "PostgreSQL \($0)" } ?? "PostgreSQL unknown (set --database-url)"
        let seconds = self.reports.first?.plan.duration ?? 0
        return "credit-wallet \(self.version), \(database), \(Self.processor), \(self.day); "
            + "\(seconds) s each, latency from each booking's scheduled time"
    }

    /// The processors of this machine; they are also the service's if it runs on the same machine.
    private static var processor: String {
        let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n") ?? []
        let model = lines.first { $0.hasPrefix("model name") }?.split(separator: ":", maxSplits: 1).last
        let count = ProcessInfo.processInfo.activeProcessorCount
        return "\(count) × \(model?.trimmingCharacters(in: .whitespaces) ?? "processor")"
    }

    private var day: String { self.date.formatted(.iso8601.year().month().day()) }

    private static func number(_ number: Double) -> String {
        number == number.rounded() ? "\(Int(number))" : String(format: "%.1f", number)
    }
}
