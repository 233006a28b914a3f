import Foundation
import Hummingbird
import HummingbirdTesting
import SandboxStores
import Synchronization
import Testing

/// An app server that takes notifications, on loopback.
final class Receiver: Sendable {
    private struct State {
        var bodies: [Data] = []
        var statuses: [Int] = []
    }

    private let state = Mutex(State())

    /// The bodies that it was sent, in their order.
    var bodies: [Data] { self.state.withLock { $0.bodies } }

    /// Answers the next calls with these statuses, and those after them with 200.
    func answer(_ statuses: [Int]) {
        self.state.withLock { $0.statuses = statuses }
    }

    /// The notifications that it was sent, verified to the stores' root.
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

    /// Runs stores that notify a receiver of what happens.
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
            // A server that stops before it has taken the test client's own connection takes the process with it.
            _ = try await client.execute(uri: "/ready", method: .get)
            let port = try #require(client.port)
            var told = configuration
            told.notifications.appStoreURL = "http://127.0.0.1:\(port)/app-store"
            try await Stores.run(told) { stores async throws in try await body(stores, receiver) }
        }
    }
}
