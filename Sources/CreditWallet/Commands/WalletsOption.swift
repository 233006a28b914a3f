import ArgumentParser
import Foundation

/// Selects the wallets that a command works on.
struct WalletsOption: ParsableArguments {
    @Option(help: "Only this wallet in WALLETS; without it, all wallets in turn.")
    var wallet: String?

    /// Runs a command for each selected wallet; a failure does not stop the other wallets.
    ///
    /// - Parameters:
    ///   - settings: The command's settings.
    ///   - work: A closure that runs the command for one wallet, with that wallet's settings.
    /// - Throws: The error of `work` if there is only one wallet; otherwise the highest exit code, after each error was
    ///   printed.
    func forEach(_ settings: Settings, _ work: (Settings) async throws -> Void) async throws {
        var highest: Int32 = 0
        for settings in try self.chosen(settings) {
            do {
                try await work(settings)
            } catch {
                guard let wallet = settings.wallet, !(error is ValidationError) else { throw error }
                let failure = error as? CommandError ?? CommandError(.failed, "\(error)")
                CreditWalletCommand.printError(failure.of(wallet.name))
                highest = max(highest, failure.code.exitCode)
            }
        }
        guard highest == 0 else { throw ExitCode(highest) }
    }

    private func chosen(_ settings: Settings) throws(CommandError) -> [Settings] {
        let wallets = try settings.wallets()
        guard self.wallet == nil, !wallets.isEmpty else { return [try settings.of(self.wallet)] }
        return wallets.map(settings.of)
    }
}

extension Settings {
    /// Returns the settings of the wallet that a command works on.
    ///
    /// - Parameter name: The value of `--wallet`; it is required with several wallets and refused with one.
    /// - Returns: The settings of that wallet, or of the only wallet.
    /// - Throws: ``CommandError`` if no wallet has the name.
    func of(_ name: String?) throws(CommandError) -> Settings {
        let wallets = try self.wallets()
        guard name != nil || !wallets.isEmpty else { return self }
        guard let wallet = wallets.first(where: { $0.name == name }) else {
            let names = wallets.map(\.name).joined(separator: ", ")
            throw CommandError(
                .configuration,
                wallets.isEmpty
                    ? "--wallet requires WALLETS, which is not set." : "--wallet must be one of \(names)."
            )
        }
        return self.of(wallet)
    }
}

/// Prints the lines of a command, prefixed with the wallet's name if there are several wallets.
struct WalletPrinter: Sendable {
    /// The wallet's name; nil if there is only one wallet.
    let wallet: String?

    init(_ settings: Settings) {
        self.wallet = settings.wallet?.name
    }

    func print(_ line: String) {
        Swift.print(self.wallet.map { "\($0): \(line)" } ?? line)
    }
}
