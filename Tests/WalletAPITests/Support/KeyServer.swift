import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Synchronization
import WalletAPI

/// A server on loopback that publishes key sets as an issuer does, with typical failures.
final class KeyServer: Sendable {
    struct Behaviour: Sendable {
        var body = Data("{\"keys\":[]}".utf8)
        var status = HTTPResponse.Status.ok
        var delay = Duration.zero
        var redirect: String?
    }

    private let behaviour = Mutex(Behaviour())
    private let calls = Atomic<Int>(0)

    /// The number of requests for the set.
    var callCount: Int { self.calls.load(ordering: .relaxed) }

    func publish(_ keys: [[String: any Sendable]]) throws {
        let body = try JSONSerialization.data(withJSONObject: ["keys": keys])
        self.change { $0 = Behaviour(body: body) }
    }

    func change(_ change: @Sendable (inout Behaviour) -> Void) {
        self.behaviour.withLock { change(&$0) }
    }

    /// Runs the server during a test and passes its address.
    func run<Value: Sendable>(_ test: @escaping @Sendable (String) async throws -> Value) async throws -> Value {
        let router = Router()
        router.get("jwks.json") { _, _ in try await self.answer() }
        let application = Application(router: router)
        return try await application.test(.live) { client in
            // Connects the test client first: a server that stops before it accepts this connection crashes the
            // process.
            _ = try await client.execute(uri: "/ready", method: .get)
            return try await test("http://localhost:\(client.port ?? 0)/jwks.json")
        }
    }

    private func answer() async throws -> Response {
        self.calls.add(1, ordering: .relaxed)
        let behaviour = self.behaviour.withLock { $0 }
        // A test ends a long delay when it sets the delay to zero.
        let end = ContinuousClock.now + behaviour.delay
        while ContinuousClock.now < end, self.behaviour.withLock({ $0.delay }) > .zero {
            try await Task.sleep(for: .milliseconds(10))
        }
        if let target = behaviour.redirect { return Response(status: .found, headers: [.location: target]) }
        return Response(
            status: behaviour.status,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: behaviour.body))
        )
    }
}

extension KeySetConfiguration {
    /// Settings for a key server on the loopback address.
    static var loopback: Self {
        var configuration = Self()
        configuration.timeout = .seconds(60)
        configuration.allowsPlainLoopback = true
        return configuration
    }
}
