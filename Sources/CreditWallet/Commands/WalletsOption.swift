import ArgumentParser
import Foundation

/// Which of several wallets a command is for.
struct WalletsOption: ParsableArguments {
    @Option(help: "Only this one of WALLETS; without it all of them, one after the other.")
    var wallet: String?

    /// Does a command's work for each wallet; one that fails does not keep the others from being done.
    ///
    /// - Parameters:
    ///   - settings: What the command is configured with.
    ///   - work: The work for one wallet, with its settings; without `WALLETS`, for the only one.
    /// - Throws: What the work throws for the only wallet; of several, the highest exit code, once each has said why.
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
    /// The settings of the wallet that a command is for.
    ///
    /// - Parameter name: What `--wallet` says; must be said where there are several wallets, and only there.
    /// - Returns: The settings of that wallet, or of the only one.
    /// - Throws: ``CommandError`` for a name that no wallet has.
    func of(_ name: String?) throws(CommandError) -> Settings {
        let wallets = try self.wallets()
        guard name != nil || !wallets.isEmpty else { return self }
        guard let wallet = wallets.first(where: { $0.name == name }) else {
            let names = wallets.map(\.name).joined(separator: ", ")
            throw CommandError(
                .configuration,
                wallets.isEmpty
                    ? "--wallet names one of WALLETS, which is not set." : "--wallet must be one of \(names)."
            )
        }
        return self.of(wallet)
    }
}

/// Prints the lines of a command, each with the wallet's name where there are several.
struct WalletPrinter: Sendable {
    /// The wallet's name; nil where there is one wallet.
    let wallet: String?

    init(_ settings: Settings) {
        self.wallet = settings.wallet?.name
    }

    func print(_ line: String) {
        Swift.print(self.wallet.map { "\($0): \(line)" } ?? line)
    }
}
