import CommandOutput
import Foundation
import Testing

@testable import CreditWallet

@Suite struct ExecutableTests {
    @Test func `neither libcurl nor FoundationNetworking is linked`() async throws {
        let libraries = try await ChildProcess.run(["ldd", try Executable.path])

        #expect(libraries.status == 0)
        #expect(libraries.output.contains("libpq"))
        #expect(!libraries.output.contains("curl"))
        #expect(!libraries.output.contains("FoundationNetworking"))
    }

    @Test func `the version is the newest of the changelog`() async throws {
        let result = try await Executable.run(["version"])
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let changelog = try String(contentsOf: root.appending(path: "CHANGELOG.md"), encoding: .utf8)

        #expect(result.output == "credit-wallet \(VersionCommand.current)\n")
        #expect(try await Executable.run(["--version"]).output == result.output)
        #expect(changelog.contains("## [\(VersionCommand.current)]"))
    }

    @Test(arguments: [["unknown"], ["serve", "--unknown"], ["token"], ["dev", "--http-port", "70000"]])
    func `an invalid command line is refused with the usage`(arguments: [String]) async throws {
        let result = try await Executable.run(arguments)

        #expect(result.status == 64)
        #expect(result.errors.contains("Usage: credit-wallet"))
    }
}
