import ArgumentParser

/// Measures how fast signed data is verified, and signs what a load test sends.
///
/// No part of what is delivered.
@main
struct StoreBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "StoreBench",
        abstract: "Measure the verification of App Store data; sign App Store data for load tests.",
        subcommands: [VerifyCommand.self, SignCommand.self]
    )
}

/// What is signed.
struct SampleOptions: ParsableArguments {
    @Option(help: "How many purchases.")
    var samples = 2_000

    @Option(help: "The consumable as the store names it.")
    var product = "com.hobbyist.bookingapp.credits.starter"

    @Option(help: "The app.")
    var bundle = "com.hobbyist.bookingapp"

    @Option(help: "Sets the ids of one run apart from those of another: 0 to 999999.")
    var series = 0

    func validate() throws {
        guard (1...100_000_000).contains(self.samples) else { throw ValidationError("--samples is at least 1.") }
        guard (0...999_999).contains(self.series) else { throw ValidationError("--series is 0 to 999999.") }
    }
}
