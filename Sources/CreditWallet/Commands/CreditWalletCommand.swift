import ArgumentParser
import Foundation

/// The command line: picks the subcommand, runs it, and turns what it throws into a message and an exit code.
@main
struct CreditWalletCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credit-wallet",
        abstract: "A wallet of credits and visits for apps that sell bookable classes, on PostgreSQL.",
        subcommands: [
            ServeCommand.self, DevCommand.self, MigrateCommand.self, VerifyCommand.self, ReconcileCommand.self,
            ImportCommand.self, TokenCommand.self, LoadCommand.self, HealthCommand.self, VersionCommand.self,
        ]
    )

    static func main() async {
        // A reader that went away must end this command with an error, not with a signal.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try self.parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let error as CommandError {
            FileHandle.standardError.write(Data("credit-wallet: \(error.message)\n".utf8))
            Foundation.exit(error.code.exitCode)
        } catch {
            self.exit(withError: error)
        }
    }
}
