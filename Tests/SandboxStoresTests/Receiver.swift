import Foundation
import Hummingbird
import HummingbirdTesting
import SandboxStores
import Synchronization
import Testing

/// An app server on loopback that accepts notifications.
final class Receiver: Sendable {
    private struct State {
        var bodies: [Data] = []
        var statuses: [Int] = []
    }

    private let state = Mutex(State())

    /// The received bodies, in order.
    var bodies: [Data] { self.state.withLock { $0.bodies } }

    /// Sets the statuses of the next responses; later requests get 200.
    func answer(_ statuses: [Int]) {
        self.state.withLock { $0.statuses = statuses }
    }

    /// Returns the received notifications, verified against the stores' root.
    func notifications(root: Data) throws -> [SignedData] {
        try self.bodies.map { body in
            let json = try #require(try JSONSerialization.jsonObject(with: body) as? [String: String])
            return try SignedData(json["signedPayload"], root: root)
        }
    }

    private func take(_ body: Data) -> HTTPResponse.Status {
        self.state.withLock { state in
            state.bodies.append(body)
            return .init(code: state.statuses.isEmpty ? 200 : state.statuses.removeFirst())
        }
    }

    /// Runs stores that notify a receiver.
    static func run(
        _ configuration: SandboxStoresConfiguration = Stores.configuration(),
        _ body: @escaping @Sendable (Stores, Receiver) async throws -> Void
    ) async throws {
        let receiver = Receiver()
        let router = Router()
        router.post("app-store") { request, _ in
            receiver.take(Data(try await request.body.collect(upTo: 1_048_576).readableBytesView))
        }
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            logger: .silent
        )
        try await application.test(.live) { client in
            // Connects the test client first: a server that stops before it accepts this connection crashes the
            // process.
            _ = try await client.execute(uri: "/ready", method: .get)
            let port = try #require(client.port)
            var told = configuration
            told.notifications.appStoreURL = "http://127.0.0.1:\(port)/app-store"
            try await Stores.run(told) { stores async throws in try await body(stores, receiver) }
        }
    }
}
