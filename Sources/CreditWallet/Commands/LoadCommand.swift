import ArgumentParser
import Foundation
import Logging
import Postgres
import Wallet
import WalletAPI

/// `credit-wallet load`: books like many concurrent users, and checks the ledger afterwards.
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load-test bookings against a running service, and check the books.",
        discussion: """
            With --data, it tests a running credit-wallet dev, where it creates its own users, classes and tokens. \
            With --url, it creates them over the operator routes of your service and removes them afterwards. It signs \
            the users' tokens with the configuration of serve (AUTH_ISSUERS), and needs --operator-token, \
            OPERATOR_TOKEN, or an issuer of operators in AUTH_ISSUERS. With --tokens and --classes, it creates \
            nothing. --rate sends on a fixed schedule (open loop) and measures latency from each booking's scheduled \
            time; --sweep does this at several rates; --clients sends after each response (closed loop). Exits with 1 \
            if the books are wrong, nothing was booked, a user or class could not be removed, or --max-p99 or \
            --max-failed was exceeded. Never test a service with real users: the bookings stay in the ledger. See \
            deploy/load/README.md for all steps.
            """
    )

    @Option(help: "The directory of a running credit-wallet dev.", completion: .directory)
    var data: String?

    @Option(
        help: "Address of the service, such as http://127.0.0.1:8080 or https://wallet.example; not needed with --data."
    )
    var url: String?

    @Option(help: "Bookings and reads per second, on a fixed schedule (open loop).")
    var rate: Double?

    @Option(help: "Several rates, such as 250,500,1000: runs one open loop after the other, and prints a table.")
    var sweep: String?

    @Option(help: "Clients that send one booking after the other (closed loop); 16 unless --rate or --sweep is set.")
    var clients: Int?

    @Option(help: "Duration in seconds, 1 to 600.")
    var duration = 10

    @Option(help: "Seconds before, 0 to 600, in which the load grows evenly; percentiles and rates exclude them.")
    var ramp = 0

    @Option(help: "Connections of an open loop.")
    var connections = 64

    @Option(help: "Maximum seconds for a response, 1 to 60.")
    var timeout = 10

    @Option(help: "Distribution of users and classes: uniform, zipf, one-wallet or one-class.")
    var pattern = LoadPattern.uniform

    @Option(help: "Exponent of zipf: the n-th user books in proportion to 1 / n^EXPONENT.")
    var zipfExponent = 1.0

    @Option(help: "Share of bookings that are cancelled immediately, 0 to 1.")
    var cancel = 0.0

    @Option(help: "Percentage of requests that only read (balance, classes, bookings), 0 to 100.")
    var reads = 0.0

    @Option(help: "Selects the same users and classes as the run that printed this seed.")
    var seed: UInt64?

    @Option(help: "A file with one token per line, each of a different user.", completion: .file())
    var tokens: String?

    @Option(help: "A file with one class id per line.", completion: .file())
    var classes: String?

    @Option(help: "Number of users to create, with --data or --url.")
    var makeUsers: Int?

    @Option(help: "Number of classes to create, with --data or --url.")
    var makeClasses: Int?

    @Option(help: "An operator's token for --url. Other users can see this option; OPERATOR_TOKEN is safer.")
    var operatorToken: String?

    @Flag(help: "Keep the users and classes that were created over HTTP.")
    var keep = false

    @Option(help: "URL of the service's database, as the owner or wallet_service, to check the books.")
    var databaseUrl: String?

    @Option(
        help: "A file of certificates (PEM) to trust for https, in addition to the system's.",
        completion: .file()
    )
    var ca: String?

    @Option(help: "Allows this non-local host.")
    var allowHost: String?

    @Option(
        help: "A file for the results as JSON; - prints them on standard output instead of the report.",
        completion: .file()
    )
    var json: String?

    @Option(
        help: "Fail if the 99th percentile of the latency of bookings or reads exceeds this number of milliseconds."
    )
    var maxP99: Double?

    @Option(help: "Fail if the share of failed bookings or reads exceeds this, 0 to 1; refusals are not failures.")
    var maxFailed: Double?

    func run() async throws {
        let dev = try self.data.map { try DevDescription.read(from: DataDirectory($0)) }
        guard let url = self.url ?? dev?.httpURL else {
            throw CommandError(.configuration, "Set the service with --data DIR or --url URL.")
        }
        let plans = try self.plans(for: url)
        let pool = (self.databaseUrl ?? dev?.databaseURL).map {
            Pool(configuration: .books(url: $0), logger: Logger(label: "load"))
        }
        let reports: [LoadReport]
        let sweep: LoadSweep
        do {
            let wallet = pool.map { Wallet(pool: $0) }
            // If the database cannot be read, the command should fail before the load and not after it.
            _ = try await wallet?.instanceKind()
            var finished: [LoadReport] = []
            for plan in plans { finished.append(try await self.load(url, plan, pool)) }
            reports = finished
            sweep = LoadSweep(reports, database: try await wallet?.databaseVersion() ?? nil)
        } catch {
            await pool?.close()
            throw CommandError.explaining(error)
        }
        await pool?.close()
        try self.finish(reports, sweep)
    }

    /// Prepares and runs one load.
    private func load(_ url: String, _ plan: LoadPlan, _ pool: Pool?) async throws -> LoadReport {
        let wallet = pool.map { Wallet(pool: $0) }
        guard self.makesOverHTTP else {
            return try await self.load(url, plan, try await self.material(plan, pool), wallet: wallet)
        }
        return try await self.withStaging(url, plan) { material in
            try await self.load(url, plan, material, wallet: wallet)
        }
    }

    private func load(
        _ url: String,
        _ plan: LoadPlan,
        _ material: LoadFixtures,
        wallet: Wallet?
    ) async throws -> LoadReport {
        Self.printProgress("booking at \(url) for \(plan.ramp + plan.duration) s")
        let tally = try await LoadDriver.run(plan, material) { Self.printProgress($0) }
        if wallet != nil { Self.printProgress("checking the books") }
        let report = LoadReport(
            plan: plan,
            url: url,
            users: material.tokens.count,
            classes: material.classes.count,
            tally: tally,
            findings: try await wallet.map { LoadBooks(wallet: $0) }?.check(tally, keyPrefix: plan.keyPrefix)
        )
        if self.json != "-" { print(report.text) }
        return report
    }

    /// Writes the results, and throws if a load failed a check.
    private func finish(_ reports: [LoadReport], _ sweep: LoadSweep) throws {
        if self.sweep != nil, self.json != "-" { print("\n\(sweep.text)") }
        if let file = self.json {
            try Self.write(self.sweep == nil ? reports[0].json() : sweep.json(), to: file)
        }
        for report in reports {
            guard report.isInOrder else {
                throw CommandError(.failed, "The books differ from the service's responses.")
            }
            guard report.tally.booked > 0 || report.plan.reads == 1 else {
                let cause = report.tally.onlyRefusal.map { " All were refused: \($0)." } ?? ""
                throw CommandError(.failed, "Nothing was booked.\(cause)")
            }
            let passed = report.passed(maxP99: self.maxP99, maxFailed: self.maxFailed)
            guard passed.isEmpty else { throw CommandError(.failed, passed.joined(separator: " ")) }
        }
    }

    private static func write(_ json: Data, to file: String) throws(CommandError) {
        do {
            guard file != "-" else { return try FileHandle.standardOutput.write(contentsOf: json) }
            try json.write(to: URL(filePath: file))
        } catch {
            throw CommandError(.system, "Cannot write \(file).")
        }
    }

    /// Prints a progress message to standard error.
    static func printProgress(_ doing: String) {
        FileHandle.standardError.write(Data("credit-wallet load: \(doing)\n".utf8))
    }
}
