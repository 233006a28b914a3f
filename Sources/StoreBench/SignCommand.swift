import ArgumentParser
import Foundation
import SandboxStores

/// `StoreBench sign`: writes signed transactions and notifications, one a line, and the root that they lead to.
struct SignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Write signed data for a load test.",
        discussion: """
            Writes root.cer (for APPSTORE_EXTRA_ROOTS), transactions.tsv (user id, tab, signed transaction) and \
            notifications.jsonl (one body for POST /webhooks/app-store a line). Purchase n is the same in both files.
            """
    )

    @OptionGroup var options: SampleOptions

    @Option(help: "The directory to write to; made if need be.")
    var out: String

    func run() throws {
        let samples = try SignedSamples(
            productID: self.options.product,
            bundleID: self.options.bundle,
            series: self.options.series
        )
        let folder = URL(fileURLWithPath: self.out, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try samples.rootCertificate.write(to: folder.appendingPathComponent("root.cer"))
        let now = Date()
        try self.write(to: folder.appendingPathComponent("transactions.tsv")) { number in
            [Data("\(samples.user(number))\t\(try samples.transaction(number, at: now))".utf8)]
        }
        try self.write(to: folder.appendingPathComponent("notifications.jsonl")) { number in
            try samples.notifications(number, at: now)
        }
    }

    private func write(to file: URL, lines: (Int) throws -> [Data]) throws {
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        for number in 0..<self.options.samples {
            for line in try lines(number) {
                try handle.write(contentsOf: line + Data("\n".utf8))
            }
        }
        try handle.close()
    }
}
