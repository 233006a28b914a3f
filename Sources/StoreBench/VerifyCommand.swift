import ArgumentParser
import AsyncHTTPClient
import Foundation
import Logging
import SandboxStores
import Stores

/// `StoreBench verify`: how many signed transactions and notifications one core verifies a second.
///
/// Counted by the processor time that the process used, so other work on the machine does not count as ours.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Measure verifications a second on one core; prints JSON."
    )

    /// What one measurement found.
    struct Figures: Encodable {
        let transactionsPerCoreSecond: Int
        let notificationsPerCoreSecond: Int
        let transactionMicroseconds: Double
        let notificationMicroseconds: Double
    }

    @OptionGroup var options: SampleOptions

    @Option(help: "How many seconds of processor time each kind gets.")
    var seconds = 3.0

    func run() async throws {
        let samples = try SignedSamples(
            productID: self.options.product,
            bundleID: self.options.bundle,
            series: self.options.series
        )
        let now = Date()
        let numbers = 0..<self.options.samples
        let transactions = try numbers.map { try samples.transaction($0, at: now) }
        let notifications = try numbers.flatMap { try samples.notifications($0, at: now) }
            .map { try JSONDecoder().decode(Message.self, from: $0).signedPayload }
        let verifier = self.verifier(under: samples.rootCertificate)
        let transaction = try await self.measure(transactions) { _ = try await verifier.transaction($0) }
        let notification = try await self.measure(notifications) { _ = try await verifier.notification($0) }
        let figures = Figures(
            transactionsPerCoreSecond: Int(1 / transaction),
            notificationsPerCoreSecond: Int(1 / notification),
            transactionMicroseconds: (transaction * 10_000_000).rounded() / 10,
            notificationMicroseconds: (notification * 10_000_000).rounded() / 10
        )
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys]
        print(String(decoding: try encoder.encode(figures), as: UTF8.self))
    }

    private struct Message: Decodable {
        let signedPayload: String
    }

    private func verifier(under root: Data) -> SignedDataVerifier {
        var configuration = SignedDataConfiguration(bundleIDs: [self.options.bundle])
        configuration.roots = [Array(root)]
        return SignedDataVerifier(
            configuration: configuration,
            httpClient: .shared,
            logger: Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    /// Seconds of processor time that one takes, after a first pass that does not count.
    private func measure(_ texts: [String], _ verify: (String) async throws -> Void) async throws -> Double {
        for text in texts.prefix(200) {
            try await verify(text)
        }
        let start = Self.processorTime
        var count = 0
        while Self.processorTime - start < self.seconds {
            for text in texts.prefix(2_000) {
                try await verify(text)
            }
            count += min(texts.count, 2_000)
        }
        return (Self.processorTime - start) / Double(count)
    }

    private static var processorTime: Double {
        Double(clock()) / Double(CLOCKS_PER_SEC)
    }
}
