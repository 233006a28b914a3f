import ArgumentParser
import AsyncHTTPClient
import CommandOutput
import Foundation
import Logging
import Postgres
import Wallet
import WalletAPI
import WalletDev
import WalletLoad

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
            if the books are wrong, nothing was booked, a user or class could not be removed, or --max-p99-ms or \
            --max-failed-share was exceeded. Never test a service with real users: the bookings stay in the ledger. See \
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
    var cancelShare = 0.0

    @Option(help: "Share of requests that only read (balance, classes, bookings), 0 to 1.")
    var readShare = 0.0

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
    var maxP99Ms: Double?

    @Option(help: "Fail if the share of failed bookings or reads exceeds this, 0 to 1; refusals are not failures.")
    var maxFailedShare: Double?

    func validate() throws {
        guard [self.rate != nil, self.clients != nil, self.sweep != nil].count(where: { $0 }) <= 1 else {
            throw ValidationError("Use only one of --rate, --sweep and --clients.")
        }
        let rates = self.sweepRates
        guard self.sweep == nil || (1...50).contains(rates.count) && !rates.contains(nil) else {
            throw ValidationError("--sweep must be 1 to 50 rates, such as 250,500,1000.")
        }
        guard ([self.rate] + rates).compactMap({ $0 }).allSatisfy((0.1...100_000).contains) else {
            throw ValidationError("Rates must be from 0.1 to 100000.")
        }
        guard (1...10_000).contains(self.clients ?? 1), (1...10_000).contains(self.connections) else {
            throw ValidationError("--clients and --connections must be from 1 to 10000.")
        }
        guard (1...600).contains(self.duration) else { throw ValidationError("--duration must be from 1 to 600.") }
        guard (0...600).contains(self.ramp) else { throw ValidationError("--ramp must be from 0 to 600.") }
        guard (0...1).contains(self.readShare) else { throw ValidationError("--read-share must be from 0 to 1.") }
        guard (1...60).contains(self.timeout) else { throw ValidationError("--timeout must be from 1 to 60.") }
        guard (0...1).contains(self.cancelShare) else { throw ValidationError("--cancel-share must be from 0 to 1.") }
        guard (self.maxP99Ms ?? 1) > 0, (0...1).contains(self.maxFailedShare ?? 0) else {
            throw ValidationError("--max-p99-ms must be above 0, --max-failed-share from 0 to 1.")
        }
        guard (0...5).contains(self.zipfExponent) else {
            throw ValidationError("--zipf-exponent must be from 0 to 5.")
        }
        try self.validateSources()
        guard (1...100_000).contains(self.makeUsers ?? 1), (1...100_000).contains(self.makeClasses ?? 1) else {
            throw ValidationError("--make-users and --make-classes must be from 1 to 100000.")
        }
    }

    private func validateSources() throws {
        let isFiled = self.tokens != nil
        guard isFiled == (self.classes != nil), isFiled || self.data != nil || self.url != nil else {
            throw ValidationError("Set --data or --url, and use --tokens and --classes only together.")
        }
        let isMade = [self.makeUsers, self.makeClasses].contains { $0 != nil } || self.operatorToken != nil
        guard !isFiled || !(isMade || self.keep) else {
            throw ValidationError(
                "--tokens and --classes exclude --make-users, --make-classes, --operator-token and --keep."
            )
        }
        guard !isFiled || self.sweep == nil else {
            throw ValidationError("--sweep creates users and classes for each rate; remove --tokens and --classes.")
        }
    }

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
            for plan in plans { finished.append(try await self.runLoad(url, plan, pool)) }
            reports = finished
            sweep = LoadSweep(
                reports,
                version: VersionCommand.current,
                database: try await wallet?.databaseVersion() ?? nil
            )
        } catch {
            await pool?.close()
            throw CommandError.explaining(error)
        }
        await pool?.close()
        try self.finish(reports, sweep)
    }

    /// Returns the loads to run in sequence: one load, or one for each rate of a sweep.
    private func plans(for url: String) throws -> [LoadPlan] {
        let rates = self.sweepRates.compactMap { $0 }
        return rates.isEmpty
            ? [try self.plan(for: url, rate: self.rate)] : try rates.map { try self.plan(for: url, rate: $0) }
    }

    private func plan(for url: String, rate: Double?) throws -> LoadPlan {
        LoadPlan(
            target: try LoadTarget(url: url, allowedHost: self.allowHost, authorities: self.ca),
            pace: rate.map { .open(rate: $0) } ?? .closed,
            duration: self.duration,
            ramp: self.ramp,
            connections: rate == nil ? self.clients ?? 16 : self.connections,
            timeout: self.timeout,
            pattern: self.pattern,
            zipfExponent: self.zipfExponent,
            cancelled: self.cancelShare,
            reads: self.readShare,
            seed: self.seed ?? UInt64.random(in: 1..<1_000_000_000),
            run: String(UInt64.random(in: 0x1000_0000...0xFFFF_FFFF), radix: 16)
        )
    }

    /// The rates of a sweep; nil for a text that is not a number.
    private var sweepRates: [Double?] {
        self.sweep?.split(separator: ",").map { Double($0.trimmingCharacters(in: .whitespaces)) } ?? []
    }

    /// Runs one load.
    private func runLoad(_ url: String, _ plan: LoadPlan, _ pool: Pool?) async throws -> LoadReport {
        let run = LoadRun(
            plan,
            url: url,
            users: self.makeUsers,
            classes: self.makeClasses,
            wallet: pool.map { Wallet(pool: $0) },
            print: { Self.printProgress($0) },
            finished: { report in if self.json != "-" { print(report.text) } }
        )
        if let tokens = self.tokens, let classes = self.classes {
            return try await run.run(tokensFile: tokens, classesFile: classes)
        }
        let issuers = try await self.issuers()
        if self.data != nil, self.operatorToken == nil, let pool {
            return try await run.run(in: DevelopmentDatabase(pool: pool), issuer: Self.issuerOfUsers(issuers))
        }
        return try await run.run(
            calling: .outgoing,
            operatorToken: self.tokenOfOperator(issuers),
            issuer: Self.issuerOfUsers(issuers),
            keeps: self.keep
        )
    }

    /// Returns the issuers of the `dev` directory, or those in the configuration of `serve`.
    private func issuers() async throws -> [IssuerConfiguration] {
        if let data = self.data { return try DevIssuers(secrets: DevSecrets.load(from: DataDirectory(data))).all }
        return try await IssuerConfiguration.all(reader: Settings.loadForCommand())
    }

    /// Returns the given token, the one in the environment, or a new one from an operator issuer with a local secret.
    private func tokenOfOperator(_ issuers: [IssuerConfiguration]) async throws -> String {
        if let token = self.operatorToken ?? ProcessInfo.processInfo.environment["OPERATOR_TOKEN"], !token.isEmpty {
            return token
        }
        guard let issuer = issuers.first(where: { $0.purpose == .operators && $0.sharedSecret != nil }) else {
            throw CommandError(
                .configuration,
                "No issuer of operators in AUTH_ISSUERS has an HS256 secret. Use --operator-token instead."
            )
        }
        return try TokenSigner(issuer).token(for: "load", role: "operator", lifetime: 3_600)
    }

    private static func issuerOfUsers(_ issuers: [IssuerConfiguration]) throws(CommandError) -> IssuerOfUsers {
        guard let issuer = issuers.first(where: { $0.purpose == .users && $0.sharedSecret != nil }) else {
            throw CommandError(
                .configuration,
                "No issuer of users in AUTH_ISSUERS has an HS256 secret. Use --tokens and --classes instead."
            )
        }
        let signer = try TokenSigner(issuer)
        return IssuerOfUsers(name: issuer.issuer, prefix: issuer.prefix) { subject in
            try signer.token(for: subject, role: "authenticated", lifetime: 7_200)
        }
    }

    /// Writes the results, and throws if a load failed a check.
    private func finish(_ reports: [LoadReport], _ sweep: LoadSweep) throws {
        if self.sweep != nil, self.json != "-" { print("\n\(sweep.text)") }
        if let file = self.json {
            try Self.write(self.sweep == nil ? reports[0].json() : sweep.json(), to: file)
        }
        for report in reports { try report.require(maxP99: self.maxP99Ms, maxFailed: self.maxFailedShare) }
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
    private static func printProgress(_ doing: String) {
        FileHandle.standardError.write(Data("credit-wallet load: \(doing)\n".utf8))
    }
}

/// A distribution on the command line, under its raw value.
extension LoadPattern: ExpressibleByArgument {}
