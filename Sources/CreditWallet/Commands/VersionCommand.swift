import ArgumentParser

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
