import ArgumentParser
import CommandOutput
import Foundation
import Logging
import Telemetry

/// The command line: runs the selected subcommand, and converts its error to a message and an exit code.
@main
struct CreditWalletCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credit-wallet",
        abstract: "A wallet of credits and visits, on PostgreSQL, for apps that sell bookable classes.",
        discussion: """
            Shell completions: credit-wallet --generate-completion-script bash (or zsh, fish). deploy/README.md lists \
            where each shell reads them.
            """,
        version: "credit-wallet \(VersionCommand.current)",
        subcommands: [
            ServeCommand.self, DevCommand.self, MigrateCommand.self, VerifyCommand.self, ReconcileCommand.self,
            ImportCommand.self, TokenCommand.self, LoadCommand.self, HealthCommand.self, VersionCommand.self,
        ]
    )

    static func main() async {
        // If the reader of a pipe exits, this command must end with an error and not with a signal.
        signal(SIGPIPE, SIG_IGN)
        let code = await self.runSubcommand()
        // A connection may still be opening in another thread. The exit handler of OpenSSL would free what it uses, and
        // the process would end by a signal, sometimes before its output was written.
        fflush(nil)
        _exit(code)
    }

    /// Runs the selected subcommand, reports its error, and returns the exit code.
    private static func runSubcommand() async -> Int32 {
        var isService = false
        do {
            var command = try self.parseAsRoot()
            isService = command is ServeCommand
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            return 0
        } catch let error as CommandError {
            self.report(error, asLogLine: isService && isatty(STDERR_FILENO) == 0)
            return error.code.exitCode
        } catch {
            let (message, code) = (self.fullMessage(for: error), self.exitCode(for: error))
            if !message.isEmpty { self.printLine(message, to: code.isSuccess ? STDOUT_FILENO : STDERR_FILENO) }
            return code.rawValue
        }
    }

    /// Prints an error for the user.
    static func printError(_ error: CommandError) {
        self.printLine("credit-wallet: \(error.message)", to: STDERR_FILENO)
    }

    /// Prints a line.
    ///
    /// If the reader of a pipe has exited, the line is lost; `FileHandle` would end the process.
    private static func printLine(_ line: String, to descriptor: CInt) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(descriptor, bytes, bytes.count)
    }

    /// Reports the final error: as text for a user, or as one log line for each cause if the log of a service is
    /// collected.
    private static func report(_ error: CommandError, asLogLine: Bool) {
        guard asLogLine else { return self.printError(error) }
        let logger = Logger(label: "credit-wallet") { label in
            JSONLogHandler(label: label, output: LogOutput(descriptor: STDERR_FILENO))
        }
        for line in error.message.split(whereSeparator: \.isNewline) {
            logger.critical(
                "credit-wallet failed",
                metadata: ["error": "\(line)", "exit_code": .stringConvertible(error.code.exitCode)]
            )
        }
    }
}

/// `credit-wallet version`: prints the release.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Print the version."
    )

    /// The release; CHANGELOG.md describes it.
    static let current = "0.1.0"

    func run() {
        print("credit-wallet \(Self.current)")
    }
}
