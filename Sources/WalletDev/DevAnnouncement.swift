package import CommandOutput
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
        let token = try self.token(of: DevStack.tourUser)
        print(DevTour(description: description, token: token, directory: self.stack.directory).text)
        // Flushes the output for readers of a pipe.
        fflush(nil)

        await cancelWhenGracefulShutdown {
            await self.keepFresh(httpPort: httpPort)
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
            demoToken: try self.token(of: DevStack.demoUser),
            operatorToken: try TokenSigner(issuers.operators)
                .token(for: "demo-operator", role: "operator", lifetime: Self.operatorLifetime),
            revenueCatAuthorization: self.stack.secrets.revenueCatAuthorization,
            metricsURL: self.stack.metricsPort.map { "http://127.0.0.1:\($0)" }
        )
    }

    private func token(of user: String) throws -> String {
        try TokenSigner(DevIssuers(secrets: self.stack.secrets).users)
            .token(for: user, role: "authenticated", lifetime: Self.demoLifetime)
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
}

/// The contents of `dev.json`, which `dev` writes for tests and scripts once all services are ready.
package struct DevDescription: Codable, Sendable {
    package let httpURL: String
    let storeURL: String
    package let databaseURL: String
    let demoUser: String
    let demoToken: String
    let operatorToken: String
    let revenueCatAuthorization: String
    /// The address of the metrics endpoint; nil if it is disabled.
    let metricsURL: String?

    private enum CodingKeys: String, CodingKey {
        case httpURL = "http_url"
        case storeURL = "store_url"
        case databaseURL = "database_url"
        case demoUser = "demo_user"
        case demoToken = "demo_token"
        case operatorToken = "operator_token"
        case revenueCatAuthorization = "revenuecat_authorization"
        case metricsURL = "metrics_url"
    }

    /// Writes the file atomically, readable only by its owner.
    func write(to directory: DataDirectory) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let json = String(decoding: try encoder.encode(self), as: UTF8.self)
        try directory.writePrivately("\(json)\n", to: directory.description)
    }

    /// Reads the file that a running `dev` wrote into a directory.
    package static func read(from directory: DataDirectory) throws(CommandError) -> DevDescription {
        let data = FileManager.default.contents(atPath: directory.description)
        guard let data, let description = try? JSONDecoder().decode(Self.self, from: data) else {
            let message = "Cannot read \(directory.description); is credit-wallet dev running there?"
            throw CommandError(.configuration, message)
        }
        return description
    }

    /// Removes the file of an earlier run or of this one.
    package static func remove(from directory: DataDirectory) throws(CommandError) {
        guard unlink(directory.description) == 0 || errno == ENOENT else {
            throw CommandError(.system, "Cannot remove \(directory.description).")
        }
    }
}

/// The text that `dev` prints once it is ready: the addresses, and shell commands that buy and spend credits.
private struct DevTour: Sendable {
    let description: DevDescription
    /// A token of ``DevStack/tourUser``.
    let token: String
    let directory: DataDirectory

    var text: String {
        """
        credit-wallet dev is ready. Ctrl-C stops it; the data stays in \(self.directory.path).

          demo           \(self.description.httpURL)/   open in a browser: an app, a store and the books
          console        \(self.description.httpURL)/console   for operators: search, users, actions with a preview
          wallet         \(self.description.httpURL)   (/openapi.yaml describes the API)
          sandbox store  \(self.description.storeURL)
          database       \(self.description.databaseURL)
          for scripts    \(self.directory.description)   addresses and tokens

        To try it, paste these lines into another shell:

        \(self.lines)

        """
    }

    /// The shell commands alone; a test runs them as printed.
    var lines: String {
        """
        WALLET=\(self.description.httpURL)
        STORE=\(self.description.storeURL)
        TOKEN=\(self.token)
        # Buy a pack of 50 credits in the sandbox App Store.
        RECEIPT=$(curl -sS "$STORE/sandbox/purchases" -H 'Content-Type: application/json' \
        -d '{"user_id": "\(DevStack.tourUser)", "product_id": "com.hobbyist.bookingapp.credits.explorer"}' | \
        sed -n 's/.*"receipt" *: *"\\([^"]*\\)".*/\\1/p')
        # The store has already notified the wallet. The app submits its receipt as well: the wallet verifies it with
        # the store, and the purchase counts once (duplicate: true).
        curl -sS "$WALLET/receipts" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
        -d '{"store": "app_store", "receipt": "'"$RECEIPT"'"}' -w '\\n'
        curl -sS "$WALLET/balance" -H "Authorization: Bearer $TOKEN" -w '\\n'
        # Book a class that costs 20 credits, list the bookings, cancel.
        CLASS=$(curl -sS "$WALLET/classes" | grep -o 'demo-pottery-[0-9]*' | head -n 1)
        BOOKING=$(curl -sS "$WALLET/bookings" -H "Authorization: Bearer $TOKEN" -H "Idempotency-Key: try-$RANDOM-$$" \
        -H 'Content-Type: application/json' -d '{"class_id": "'"$CLASS"'"}' | \
        sed -n 's/.*"booking_id" *: *"\\([^"]*\\)".*/\\1/p')
        curl -sS "$WALLET/bookings" -H "Authorization: Bearer $TOKEN" -w '\\n'
        curl -sS -X POST "$WALLET/bookings/$BOOKING/cancel" -H "Authorization: Bearer $TOKEN" -w '\\n'
        # Subscribe, turn off renewal in the store, check the subscription in the wallet.
        PLAN=$(curl -sS "$STORE/sandbox/purchases" -H 'Content-Type: application/json' \
        -d '{"user_id": "\(DevStack.tourUser)", "product_id": "com.hobbyist.bookingapp.subscription.explorer"}' | \
        sed -n 's/.*"original_transaction_id" *: *"\\([^"]*\\)".*/\\1/p')
        curl -sS -X POST "$STORE/sandbox/subscriptions/$PLAN/cancel" -o /dev/null
        curl -sS "$WALLET/subscriptions" -H "Authorization: Bearer $TOKEN" -w '\\n'
        """
    }
}
