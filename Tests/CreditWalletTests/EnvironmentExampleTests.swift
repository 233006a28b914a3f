import Configuration
import Foundation
import Logging
import Synchronization
import Testing

@testable import CreditWallet

@Suite struct EnvironmentExampleTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "deploy/env.example")

    @Test func `the example has every key with its meaning and its default`() throws {
        if ProcessInfo.processInfo.environment["WRITE_ENV_EXAMPLE"] != nil {
            try EnvironmentExample.text.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        let written = try String(contentsOf: Self.file, encoding: .utf8)

        #expect(written == EnvironmentExample.text, "make env-example writes it again")
        let names = Set(written.split(separator: "\n").compactMap { $0.firstMatch(of: /^#?([A-Z0-9_]+)=/)?.1 })
        #expect(names == Set(EnvironmentExample.keys.map { Substring($0.name) }))
    }

    @Test func `serve with everything enabled reads exactly the keys of the example`() async throws {
        let environment = try StoreSettings().environment.merging(
            [
                "EVENTS_URL": "https://studio.example/hook", "EVENTS_SECRET": StoreSettings.eventsSecret,
                // The flags for other hosts are read only when another host is configured.
                "APPSTORE_RECEIPT_SANDBOX_URL": "http://127.0.0.1:9/verifyReceipt",
                "APPSTORE_ALLOW_OTHER_HOSTS": "true",
                "REVENUECAT_URL": "http://127.0.0.1:9", "REVENUECAT_ALLOW_OTHER_HOSTS": "true", "METRICS_PORT": "9464",
                "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "CONSOLE_PORT": "8081",
            ].merging(ConsoleConfigurationTests.settings) { $1 }
        ) { $1 }
        let asked = AskedKeys()
        let variables = EnvironmentVariablesProvider(environmentVariables: environment)
        let settings = Settings(reader: ConfigReader(provider: variables, accessReporter: asked))

        _ = try ServiceConfiguration(reader: settings)
        _ = try Logger.Level(reader: settings)
        // `serve` reads this key while it assembles the sources, before there are settings.
        _ = try settings.required(.secretsDirectory)

        #expect(asked.names.symmetricDifference(EnvironmentExample.keys.map(\.name)) == [])
    }

    @Test func `a mounted secret of Kubernetes is read through its link`() async throws {
        let home = try TemporaryDirectory()
        let files = FileManager.default
        try files.createDirectory(atPath: "\(home.path)/..2026", withIntermediateDirectories: false)
        try home.write("from-kubernetes\n", to: "..2026/appstore_shared_secret")
        try files.createSymbolicLink(atPath: "\(home.path)/..data", withDestinationPath: "..2026")
        try files.createSymbolicLink(
            atPath: "\(home.path)/appstore_shared_secret",
            withDestinationPath: "..data/appstore_shared_secret"
        )

        let settings = try await Settings.load(
            options: [.secretsDirectory: home.path],
            environment: [:],
            environmentFile: "\(home.path)/none"
        )

        #expect(try settings.string(.appStoreSharedSecret) == "from-kubernetes")
    }
}

/// Records which keys are read, by their environment names.
private final class AskedKeys: AccessReporter {
    private let keys = Mutex(Set<String>())

    var names: Set<String> { self.keys.withLock { $0 } }

    func report(_ event: AccessEvent) {
        let name = event.metadata.key.components.joined(separator: "_").uppercased()
        self.keys.withLock { _ = $0.insert(name) }
    }
}
