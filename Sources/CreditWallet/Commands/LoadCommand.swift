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
        abstract: "Book at a service that runs for it, measure latencies, and check the books.",
        discussion: """
            With --data it books at a running credit-wallet dev: it makes users, classes and tokens of its own there. \
            With --url it does the same at a service of yours, over its operator routes, and removes what it made when \
            it is over: it signs the users' tokens by the configuration that serve has (AUTH_ISSUERS), and needs \
            --operator-token, OPERATOR_TOKEN, or an issuer of operators there. With --tokens and --classes it makes \
            nothing. --rate sends on a fixed schedule (open loop) and counts latency from when each booking was to be \
            sent; --sweep does so at several rates; --clients sends after each answer (closed loop). Ends with exit code 1 when the books are off, nothing \
            was booked, something could not be removed, or --max-p99 or --max-failed is passed. Never for a service with \
            real users: what it books stays in the ledger. deploy/load/README.md has the whole way.
            """
    )

    @Option(help: "A directory of credit-wallet dev, which is running.", completion: .directory)
    var data: String?

    @Option(help: "The service, http://127.0.0.1:8080 or https://wallet.example; not needed with --data.")
    var url: String?

    @Option(help: "Bookings and reads a second, on a fixed schedule: an open loop.")
    var rate: Double?

    @Option(help: "Several rates, such as 250,500,1000: one open loop after the other, and a table of all.")
    var sweep: String?

    @Option(help: "Clients that send one booking after the other: a closed loop. 16 unless there is --rate.")
    var clients: Int?

    @Option(help: "Seconds, 1 to 600.")
    var duration = 10

    @Option(help: "Seconds before, in which the load grows evenly, 0 to 600; they count in no percentile and no rate.")
    var ramp = 0

    @Option(help: "Connections of an open loop.")
    var connections = 64

    @Option(help: "Seconds that an answer may take, 1 to 60.")
    var timeout = 10

    @Option(help: "Who books what: uniform, zipf, one-wallet or one-class.")
    var pattern = LoadPattern.uniform

    @Option(help: "How uneven zipf is: the n-th user books in proportion to 1 / n^EXPONENT.")
    var zipfExponent = 1.0

    @Option(help: "The share of bookings that are cancelled right after, 0 to 1.")
    var cancel = 0.0

    @Option(help: "Percent of the requests that only read (balance, classes, bookings), 0 to 100.")
    var reads = 0.0

    @Option(help: "Picks the same users and classes as a run that printed this seed.")
    var seed: UInt64?

    @Option(help: "A file with a token a line, each of another user.", completion: .file())
    var tokens: String?

    @Option(help: "A file with a class id a line.", completion: .file())
    var classes: String?

    @Option(help: "How many users to make, with --data or --url.")
    var makeUsers: Int?

    @Option(help: "How many classes to make, with --data or --url.")
    var makeClasses: Int?

    @Option(help: "An operator's token, to make and remove over HTTP; others see it here, but not in OPERATOR_TOKEN.")
    var operatorToken: String?

    @Flag(help: "Leave what was made over HTTP.")
    var keep = false

    @Option(help: "The service's database, as the owner or wallet_service, to check the books in.")
    var databaseUrl: String?

    @Option(
        help: "A file of certificates (PEM) that are trusted besides the system's, for https.",
        completion: .file()
    )
    var ca: String?

    @Option(help: "A host that may be another machine.")
    var allowHost: String?

    @Option(
        help: "A file for the figures, as JSON; - for standard output, instead of the report.",
        completion: .file()
    )
    var json: String?

    @Option(help: "Fail when the 99th percentile of latency, of bookings or of reads, is above so many milliseconds.")
    var maxP99: Double?

    @Option(help: "Fail when more than this share of bookings or of reads failed, 0 to 1; a refusal is no failure.")
    var maxFailed: Double?

    func run() async throws {
        let dev = try self.data.map { try DevDescription.read(from: DataDirectory($0)) }
        guard let url = self.url ?? dev?.httpURL else {
            throw CommandError(.configuration, "Say which service: --data DIR or --url URL.")
        }
        let plans = try self.plans(for: url)
        let pool = (self.databaseUrl ?? dev?.databaseURL).map {
            Pool(configuration: .books(url: $0), logger: Logger(label: "load"))
        }
        do {
            let wallet = pool.map { Wallet(pool: $0) }
            // If the database cannot be read, the command should fail before the load and not after it.
            _ = try await wallet?.instanceKind()
            var reports: [LoadReport] = []
            for plan in plans { reports.append(try await self.load(url, plan, pool)) }
            let database = try await wallet?.serverVersion()
            await pool?.close()
            try self.finish(reports, LoadSweep(reports, database: database))
        } catch {
            await pool?.close()
            throw CommandError.explaining(error)
        }
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
        if wallet != nil { Self.printProgress("looking into the books") }
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
            guard report.isInOrder else { throw CommandError(.failed, "The books are not what the service answered.") }
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
            throw CommandError(.system, "\(file) cannot be written.")
        }
    }

    /// Prints a progress message to standard error.
    static func printProgress(_ doing: String) {
        FileHandle.standardError.write(Data("credit-wallet load: \(doing)\n".utf8))
    }
}
