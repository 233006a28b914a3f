import ArgumentParser

/// `credit-wallet version`: says which release this is.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Print the version."
    )

    /// The release; CHANGELOG.md says what is in it.
    static let current = "0.1.0"

    func run() {
        print("credit-wallet \(Self.current)")
    }
}
