import Foundation
import SandboxStores
import ServiceLifecycle

/// Informs the world that everything answers: writes `dev.json` and prints what can be tried.
///
/// Takes `dev.json` back when the services are about to stop; so it is the last to be started and the first to be
/// stopped.
struct DevAnnouncement: Service {
    /// Operators' tokens must not live longer.
    private static let operatorLifetime = 3_600
    private static let demoLifetime = 30 * 86_400

    let stack: DevStack
    let stores: SandboxStores
    let ports: AsyncStream<Int>

    func run() async throws {
        // Nobody listens, and there is nothing to tell, when the group stops before it has come up.
        let port = await cancelWhenGracefulShutdown { await self.ports.first { _ in true } }
        guard let httpPort = port else { return }
        let description = try await self.description(httpPort: httpPort, storePort: self.stores.boundPort())
        try description.write(to: self.stack.directory)
        print(DevTour(description: description, directory: self.stack.directory).text)
        // Anyone who reads through a pipe must see it now.
        fflush(nil)

        do {
            try await gracefulShutdown()
        } catch is CancellationError {
            // The group gives up in a hurry; the file goes all the same.
        }
        try DevDescription.remove(from: self.stack.directory)
    }

    private func description(httpPort: Int, storePort: Int) async throws -> DevDescription {
        let issuers = DevIssuers(secrets: self.stack.secrets)
        return DevDescription(
            httpURL: "http://127.0.0.1:\(httpPort)",
            storeURL: "http://127.0.0.1:\(storePort)",
            databaseURL: self.stack.cluster.administratorURL(password: self.stack.secrets.databasePassword),
            demoUser: DevStack.demoUser,
            demoToken: try await TokenSigner(issuers.users)
                .token(for: DevStack.demoUser, role: "authenticated", lifetime: Self.demoLifetime),
            operatorToken: try await TokenSigner(issuers.operators)
                .token(for: "demo-operator", role: "operator", lifetime: Self.operatorLifetime),
            revenueCatAuthorization: self.stack.secrets.revenueCatAuthorization,
            adminURL: self.stack.metering.map { "http://127.0.0.1:\($0.port)" }
        )
    }
}
