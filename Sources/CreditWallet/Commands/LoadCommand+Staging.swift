import AsyncHTTPClient
import Foundation
import WalletAPI

extension LoadCommand {
    /// Whether users and classes are made over the service's own routes.
    var makesOverHTTP: Bool {
        self.tokens == nil && (self.data == nil || self.operatorToken != nil)
    }

    /// Makes users and classes over HTTP, and removes them after the load, whatever came of it.
    ///
    /// - Parameters:
    ///   - url: The service.
    ///   - plan: The load.
    ///   - load: The load itself.
    /// - Returns: What came of the load.
    /// - Throws: What making or the load throws, else ``CommandError`` for what could not be removed.
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
            // The load's own failure is the one to report at the end.
            do { try await self.remove(staging) } catch { Self.printProgress("\(error)") }
            throw error
        }
        try await self.remove(staging)
        return value
    }

    private func make(_ staging: LoadStaging) async throws -> LoadFixtures {
        let counts = staging.counts
        Self.printProgress("making \(counts.users) users and \(counts.classes) classes, \(staging.prefix)…")
        let meter = ProgressMeter("credit-wallet load, making", of: "users and classes")
        defer { meter.end() }
        return try await staging.make(meter)
    }

    /// Removes what was made, also when the load was cancelled.
    private func remove(_ staging: LoadStaging) async throws {
        guard !self.keep else { return Self.printProgress("leaves what it made, \(staging.prefix)…") }
        let left = try await Task {
            let meter = ProgressMeter("credit-wallet load, removing", of: "users and classes")
            defer { meter.end() }
            return try await staging.remove(meter)
        }.value
        guard left.isEmpty else {
            throw CommandError(.failed, "Not removed: \(left.joined(separator: ", ")) of \(staging.prefix)…")
        }
    }

    /// The issuers of the `dev` directory, or of the configuration that `serve` has.
    private func issuers() async throws -> [IssuerConfiguration] {
        if let data = self.data { return try DevIssuers(secrets: DevSecrets.load(from: DataDirectory(data))).all }
        return try await Settings.loadForCommand().issuers()
    }

    private static func issuerOfUsers(_ issuers: [IssuerConfiguration]) throws(CommandError) -> IssuerOfUsers {
        guard let issuer = issuers.first(where: { $0.purpose == .users && $0.sharedSecret != nil }) else {
            throw CommandError(
                .configuration,
                "No issuer of users in AUTH_ISSUERS has an HS256 secret to sign with; give --tokens and --classes."
            )
        }
        return try IssuerOfUsers(issuer)
    }

    /// The token that was given, that of the environment, or one of an issuer of operators whose secret is here.
    private func operatorToken(_ issuers: [IssuerConfiguration]) async throws -> String {
        if let token = self.operatorToken ?? ProcessInfo.processInfo.environment["OPERATOR_TOKEN"], !token.isEmpty {
            return token
        }
        guard let issuer = issuers.first(where: { $0.purpose == .operators && $0.sharedSecret != nil }) else {
            throw CommandError(
                .configuration,
                "No issuer of operators in AUTH_ISSUERS has an HS256 secret to sign with; give --operator-token."
            )
        }
        return try await TokenSigner(issuer).token(for: "load", role: "operator", lifetime: 3_600)
    }
}
