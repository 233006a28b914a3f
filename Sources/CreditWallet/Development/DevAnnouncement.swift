import Foundation
import Logging
import SandboxStores
import ServiceLifecycle

/// Announces that all services are ready: writes `dev.json` and prints commands to try.
///
/// It deletes `dev.json` before the services stop. Therefore it must be started last, which means that it is stopped
/// first.
struct DevAnnouncement: Service {
    /// The maximum lifetime of operator tokens.
    private static let operatorLifetime = 3_600
    private static let demoLifetime = 30 * 86_400

    let stack: DevStack
    let stores: SandboxStores
    let ports: AsyncStream<Int>

    func run() async throws {
        // If the group stops before the server listens, there is nothing to announce.
        let port = await cancelWhenGracefulShutdown { await self.ports.first { _ in true } }
        guard let httpPort = port else { return }
        let description = try await self.description(httpPort: httpPort, storePort: self.stores.boundPort())
        try description.write(to: self.stack.directory)
        let token = try await self.token(of: DevStack.tourUser)
        print(DevTour(description: description, token: token, directory: self.stack.directory).text)
        // Flushes the output for readers of a pipe.
        fflush(nil)

        await cancelWhenGracefulShutdown {
            await self.keepFresh(httpPort: httpPort)
        }
        try DevDescription.remove(from: self.stack.directory)
    }

    /// Rewrites the file before its operator token expires, until shutdown.
    private func keepFresh(httpPort: Int) async {
        while !Task.isCancelled {
            do {
                try await Task.sleep(for: .seconds(Self.operatorLifetime / 2))
                try await self.description(httpPort: httpPort, storePort: self.stores.boundPort())
                    .write(to: self.stack.directory)
            } catch is CancellationError {
                return
            } catch {
                self.stack.logger.warning("dev.json could not be updated", metadata: ["error": "\(error)"])
            }
        }
    }

    private func token(of user: String) async throws -> String {
        try await TokenSigner(DevIssuers(secrets: self.stack.secrets).users)
            .token(for: user, role: "authenticated", lifetime: Self.demoLifetime)
    }

    private func description(httpPort: Int, storePort: Int) async throws -> DevDescription {
        let issuers = DevIssuers(secrets: self.stack.secrets)
        return DevDescription(
            httpURL: "http://127.0.0.1:\(httpPort)",
            storeURL: "http://127.0.0.1:\(storePort)",
            databaseURL: self.stack.cluster.administratorURL(password: self.stack.secrets.databasePassword),
            demoUser: DevStack.demoUser,
            demoToken: try await self.token(of: DevStack.demoUser),
            operatorToken: try await TokenSigner(issuers.operators)
                .token(for: "demo-operator", role: "operator", lifetime: Self.operatorLifetime),
            revenueCatAuthorization: self.stack.secrets.revenueCatAuthorization,
            adminURL: self.stack.metering.map { "http://127.0.0.1:\($0.port)" }
        )
    }
}
