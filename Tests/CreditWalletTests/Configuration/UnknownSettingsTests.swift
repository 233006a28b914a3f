import Foundation
import Testing

@testable import CreditWallet

/// Tests of the warnings about unknown names, for every command that reads the configuration.
@Suite struct UnknownSettingsTests {
    @Test(arguments: [
        ["migrate"], ["verify"], ["reconcile"], ["health"], ["token", "--user", "ann"],
        ["import", "--csv", "none.csv", "--source", "x", "--cut-over", "2024-07-01T00:00:00Z"],
        ["load", "--url", "http://127.0.0.1:1"], ["dev", "--data", "none", "--http-port", "1", "--store-port", "1"],
    ])
    func `each command warns of a misspelled key`(arguments: [String]) async throws {
        let directory = try TemporaryDirectory()
        try directory.write("DATABASE_URI=postgresql://127.0.0.1:1/none\n", to: ".env")
        var environment = ServeConfiguration.environment()
        environment["HTTP_PORT"] = "1"
        environment["HTTP_PROT"] = "8080"
        let result = try await Executable.run(arguments, environment: environment, in: directory.path)
        for (name, meant) in [("HTTP_PROT", "HTTP_PORT"), ("DATABASE_URI", "DATABASE_URL")] {
            let warning = "credit-wallet: unknown setting \(name) ignored; did you mean \(meant)?\n"
            #expect(result.errors.contains(warning), "\(result.errors)")
        }
        // The warning goes to standard error; scripts read standard output.
        #expect(!result.output.contains("HTTP_PROT"))
    }
}
