package import AsyncHTTPClient
import CommandOutput
package import Wallet

/// One load against a service: obtains users and classes, books, and checks the books afterwards.
package struct LoadRun: Sendable {
    private let url: String
    private let plan: LoadPlan
    private let counts: LoadPreparation
    private let wallet: Wallet?
    private let print: @Sendable (String) -> Void
    private let finished: @Sendable (LoadReport) -> Void

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - plan: The plan of the load.
    ///   - url: The service's address.
    ///   - users: The number of users to create; nil for the number that the pattern needs.
    ///   - classes: The number of classes to create; nil for the number that the pattern needs.
    ///   - wallet: The service's wallet, to check the books; nil if they cannot be checked.
    ///   - print: A closure that prints a line of progress.
    ///   - finished: A closure that receives the report before the created users and classes are removed.
    package init(
        _ plan: LoadPlan,
        url: String,
        users: Int?,
        classes: Int?,
        wallet: Wallet?,
        print: @escaping @Sendable (String) -> Void,
        finished: @escaping @Sendable (LoadReport) -> Void
    ) {
        self.url = url
        self.plan = plan
        self.counts = LoadPreparation(plan, users: users, classes: classes)
        self.wallet = wallet
        self.print = print
        self.finished = finished
    }

    /// Runs the load with the users and classes in files.
    ///
    /// - Parameters:
    ///   - tokens: A file of tokens, one per line.
    ///   - classes: A file of class ids, one per line.
    /// - Returns: The report.
    /// - Throws: ``CommandError`` if a file or the service is unusable; `WalletError` if the database is unavailable.
    package func run(tokensFile tokens: String, classesFile classes: String) async throws -> LoadReport {
        try await self.measure(LoadFixtures(tokensFile: tokens, classesFile: classes))
    }

    /// Runs the load with users and classes that it creates in the database of a `dev` directory.
    ///
    /// - Parameters:
    ///   - database: The database; a production database is refused.
    ///   - issuer: The issuer that signs the users' tokens.
    /// - Returns: The report.
    /// - Throws: ``CommandError`` if the service is unusable; `WalletError` if the database is unavailable.
    package func run(in database: DevelopmentDatabase, issuer: IssuerOfUsers) async throws -> LoadReport {
        self.print("creating \(self.counts.users) users and \(self.counts.classes) classes")
        let prefix = self.plan.keyPrefix
        return try await self.measure(self.counts.make(named: prefix, in: database, issuer: issuer))
    }

    /// Runs the load with users and classes that it creates through the service's HTTP API and removes afterwards.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the HTTP client.
    ///   - operatorToken: A token of an operator of the service.
    ///   - issuer: The issuer that signs the users' tokens.
    ///   - keeps: A Boolean value that indicates whether the users and classes are kept.
    /// - Returns: The report.
    /// - Throws: ``CommandError`` if the service is unusable or something could not be removed; `WalletError` if the
    ///   database is unavailable.
    package func run(
        calling configuration: HTTPClient.Configuration,
        operatorToken: String,
        issuer: IssuerOfUsers,
        keeps: Bool
    ) async throws -> LoadReport {
        var configuration = configuration
        configuration.tlsConfiguration = self.plan.target.security?.configuration
        return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            let url = self.url.hasSuffix("/") ? String(self.url.dropLast()) : self.url
            let staging = LoadStaging(
                calls: StagingCalls(client: client, url: url),
                operatorToken: operatorToken,
                issuer: issuer,
                counts: self.counts,
                prefix: self.plan.keyPrefix,
                keeps: keeps,
                print: self.print
            )
            return try await staging.run(self.measure)
        }
    }

    @Sendable
    private func measure(_ material: LoadFixtures) async throws -> LoadReport {
        self.print("booking at \(self.url) for \(self.plan.ramp + self.plan.duration) s")
        let tally = try await LoadDriver.run(self.plan, material, progress: self.print)
        if self.wallet != nil { self.print("checking the books") }
        let books = self.wallet.map { LoadBooks(wallet: $0) }
        let report = LoadReport(
            plan: self.plan,
            url: self.url,
            users: material.tokens.count,
            classes: material.classes.count,
            tally: tally,
            findings: try await books?.check(tally, keyPrefix: self.plan.keyPrefix)
        )
        self.finished(report)
        return report
    }
}
