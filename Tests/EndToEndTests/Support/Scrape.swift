import Foundation
import TestSupport

/// The contents of `/metrics` at one moment.
struct Scrape: Sendable {
    let text: String

    init(_ answer: WebAnswer) {
        self.text = String(decoding: answer.body, as: UTF8.self)
    }

    /// The metric families with their types.
    var types: [String: String] {
        let lines = self.text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
        return Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let words = line.split(separator: " ")
                return (String(words[2]), String(words[3]))
            }
        )
    }

    /// Returns the value of a series by its exact name and labels, or nil if there is none.
    func value(_ series: String) -> Double? {
        let line = self.text.split(separator: "\n").first { $0.hasPrefix("\(series) ") }
        return line?.split(separator: " ").last.flatMap { Double($0) }
    }

    /// Returns the sum of all series with the prefix.
    func sum(_ beginning: String) -> Double {
        self.text.split(separator: "\n").filter { $0.hasPrefix(beginning) }
            .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0, +)
    }

    /// Returns all lines with the prefix.
    func lines(_ beginning: String) -> [Substring] {
        self.text.split(separator: "\n").filter { $0.hasPrefix(beginning) }
    }

    /// Returns the errors that `promtool` reports; empty if there are none.
    func complaints() async throws -> String {
        let path = "/tmp/wallet-scrape-\(UUID().uuidString.lowercased())"
        defer { for ending in ["in", "log"] { unlink("\(path).\(ending)") } }
        try Data(self.text.utf8).write(to: URL(filePath: "\(path).in"))
        let program = try RunningProgram(
            ["/bin/sh", "-c", #"exec "$0" check metrics <"$1""#, Self.promtool, "\(path).in"],
            environment: [:],
            output: "\(path).log"
        )
        let status = try await program.exitStatus(within: .seconds(60))
        return status == 0 && program.output.isEmpty ? "" : "exit \(status) \(program.output)"
    }

    /// The path of promtool: where `.ci/deps test` installs it, or from PATH.
    private static var promtool: String {
        get throws {
            let own = URL(filePath: #filePath).appending(path: "../../../../.tools/bin/promtool").standardizedFileURL
                .path(percentEncoded: false)
            let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
            let places = [own] + folders.map { "\($0)/promtool" }
            guard let found = places.first(where: FileManager.default.isExecutableFile(atPath:)) else {
                throw HarnessError("promtool is missing; `.ci/deps test` gets it")
            }
            return found
        }
    }
}
