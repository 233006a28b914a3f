import AsyncHTTPClient
import Foundation
import WalletAPI

extension LoadCommand {
    /// A Boolean value that indicates whether users and classes are created through the service's HTTP API.
    var makesOverHTTP: Bool {
        self.tokens == nil && (self.data == nil || self.operatorToken != nil)
    }

    /// Creates users and classes over HTTP, runs the load, and removes them whatever the load's result.
    ///
    /// - Parameters:
    ///   - url: The service's address.
    ///   - plan: The plan of the load.
    ///   - load: A closure that runs the load.
    /// - Returns: The result of `load`.
    /// - Throws: The error of the setup or the load; otherwise ``CommandError`` if something could not be removed.
    func withStaging<Value: Sendable>(
        _ url: String,
        _ plan: LoadPlan,
        _ load: @escaping @Sendable (LoadFixtures) async throws -> Value
    ) async throws -> Value {
        let issuers = try await self.issuers()
        var configuration = HTTPClient.Configuration.outgoing
        configuration.tlsConfiguration = plan.target.security?.configuration
        return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            let staging = LoadStaging(
                calls: StagingCalls(client: client, url: url.hasSuffix("/") ? String(url.dropLast()) : url),
                operatorToken: try await self.operatorToken(issuers),
                issuer: try Self.issuerOfUsers(issuers),
                counts: LoadPreparation(plan, users: self.makeUsers, classes: self.makeClasses),
                prefix: plan.keyPrefix
            )
            try await staging.check()
            return try await Interruption.cancelling { try await self.stage(staging, load) }
        }
    }

    private func stage<Value: Sendable>(
        _ staging: LoadStaging,
        _ load: @escaping @Sendable (LoadFixtures) async throws -> Value
    ) async throws -> Value {
        let value: Value
        do {
            value = try await load(self.make(staging))
        } catch {
            // The load's own error must be the one that is reported at the end.
            do { try await self.remove(staging) } catch { Self.printProgress("\(error)") }
            throw error
        }
        try await self.remove(staging)
        return value
    }

    private func make(_ staging: LoadStaging) async throws -> LoadFixtures {
        let counts = staging.counts
        Self.printProgress("creating \(counts.users) users and \(counts.classes) classes, \(staging.prefix)…")
        let meter = ProgressMeter("credit-wallet load, creating", of: "users and classes")
        defer { meter.end() }
        return try await staging.make(meter)
    }

    /// Removes the created users and classes, even if the load was cancelled.
    private func remove(_ staging: LoadStaging) async throws {
        guard !self.keep else { return Self.printProgress("keeps the created users and classes, \(staging.prefix)…") }
        let left = try await Task {
            let meter = ProgressMeter("credit-wallet load, removing", of: "users and classes")
            defer { meter.end() }
            return try await staging.remove(meter)
        }.value
        guard left.isEmpty else {
            throw CommandError(.failed, "Could not remove \(left.joined(separator: ", ")) of \(staging.prefix)…")
        }
    }

    /// Returns the issuers of the `dev` directory, or those in the configuration of `serve`.
    private func issuers() async throws -> [IssuerConfiguration] {
        if let data = self.data { return try DevIssuers(secrets: DevSecrets.load(from: DataDirectory(data))).all }
        return try await Settings.loadForCommand().issuers()
    }

    private static func issuerOfUsers(_ issuers: [IssuerConfiguration]) throws(CommandError) -> IssuerOfUsers {
        guard let issuer = issuers.first(where: { $0.purpose == .users && $0.sharedSecret != nil }) else {
            throw CommandError(
                .configuration,
                "No issuer of users in AUTH_ISSUERS has an HS256 secret. Use --tokens and --classes instead."
            )
        }
        return try IssuerOfUsers(issuer)
    }

    /// Returns the given token, the one in the environment, or a new one from an operator issuer with a local secret.
    private func operatorToken(_ issuers: [IssuerConfiguration]) async throws -> String {
        if let token = self.operatorToken ?? ProcessInfo.processInfo.environment["OPERATOR_TOKEN"], !token.isEmpty {
            return token
        }
        guard let issuer = issuers.first(where: { $0.purpose == .operators && $0.sharedSecret != nil }) else {
            throw CommandError(
                .configuration,
                "No issuer of operators in AUTH_ISSUERS has an HS256 secret. Use --operator-token instead."
            )
        }
        return try await TokenSigner(issuer).token(for: "load", role: "operator", lifetime: 3_600)
    }
}
