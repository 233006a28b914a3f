import Foundation
import TestSupport
import WalletClient

/// A script of the folder `Supabase`, run by the Python that `.ci/deps` installs.
struct PythonScript {
    private let path: String
    private let python: String

    init(_ name: String) throws {
        let project = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
        self.path = project.appending(path: "Tests/EndToEndTests/Supabase/\(name)").path(percentEncoded: false)
        self.python = project.appending(path: ".venv/bin/python").path(percentEncoded: false)
        guard FileManager.default.isExecutableFile(atPath: self.python) else {
            throw HarnessError("there is no .venv; `.ci/deps test` makes it")
        }
    }

    /// Runs the script until it exits.
    ///
    /// - Parameter input: The JSON object that the script reads.
    /// - Returns: The exit status, and the text of both outputs.
    /// - Throws: `TestSupportError` if the script does not exit.
    func run(_ input: [String: JSONValue]) async throws -> (status: Int32, output: String) {
        let files = FileManager.default.temporaryDirectory
            .appending(path: "wallet-script-\(UUID().uuidString.lowercased())").path(percentEncoded: false)
        defer { for ending in ["in", "log"] { unlink("\(files).\(ending)") } }
        try JSONEncoder().encode(input).write(to: URL(filePath: "\(files).in"))
        let program = try RunningProgram(
            ["/bin/sh", "-c", #"exec "$0" "$1" <"$2""#, self.python, self.path, "\(files).in"],
            environment: [:],
            output: "\(files).log"
        )
        return (try await program.exitStatus(), program.output)
    }
}
