import ArgumentParser
import Foundation
import Postgres
import Wallet

extension LoadCommand {
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
        guard (0...100).contains(self.reads) else { throw ValidationError("--reads must be from 0 to 100.") }
        guard (1...60).contains(self.timeout) else { throw ValidationError("--timeout must be from 1 to 60.") }
        guard (0...1).contains(self.cancel) else { throw ValidationError("--cancel must be from 0 to 1.") }
        guard (self.maxP99 ?? 1) > 0, (0...1).contains(self.maxFailed ?? 0) else {
            throw ValidationError("--max-p99 must be above 0, --max-failed from 0 to 1.")
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

    /// The rates of a sweep; nil for a text that is not a number.
    private var sweepRates: [Double?] {
        self.sweep?.split(separator: ",").map { Double($0.trimmingCharacters(in: .whitespaces)) } ?? []
    }

    /// Returns the loads to run in sequence: one load, or one for each rate of a sweep.
    func plans(for url: String) throws -> [LoadPlan] {
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
            cancelled: self.cancel,
            reads: self.reads / 100,
            seed: self.seed ?? UInt64.random(in: 1..<1_000_000_000),
            run: String(UInt64.random(in: 0x1000_0000...0xFFFF_FFFF), radix: 16)
        )
    }

    /// Returns the contents of the files, or creates users and classes in the database of the `dev` directory.
    func material(_ plan: LoadPlan, _ pool: Pool?) async throws -> LoadFixtures {
        guard self.tokens == nil, let data = self.data, let pool else { return try self.filedMaterial() }
        let issuers = DevIssuers(secrets: try DevSecrets.load(from: DataDirectory(data)))
        let preparation = LoadPreparation(plan, users: self.makeUsers, classes: self.makeClasses)
        Self.printProgress("creating \(preparation.users) users and \(preparation.classes) classes")
        return try await preparation.make(
            named: plan.keyPrefix,
            in: DevelopmentDatabase(pool: pool),
            issuer: issuers.users,
            lifetime: 7_200
        )
    }

    func filedMaterial() throws -> LoadFixtures {
        guard let tokens = self.tokens, let classes = self.classes else {
            throw CommandError(.configuration, "Set both --tokens and --classes.")
        }
        return try LoadFixtures(tokensFile: tokens, classesFile: classes)
    }
}
