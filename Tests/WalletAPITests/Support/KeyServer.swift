import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Synchronization

/// Publishes key sets on loopback as an issuer would, with the failures that issuers have.
final class KeyServer: Sendable {
    struct Behaviour: Sendable {
        var body = Data("{\"keys\":[]}".utf8)
        var status = HTTPResponse.Status.ok
        var delay = Duration.zero
        var redirect: String?
    }

    private let behaviour = Mutex(Behaviour())
    private let calls = Atomic<Int>(0)

    /// How often the set was asked for.
    var callCount: Int { self.calls.load(ordering: .relaxed) }

    func publish(_ keys: [[String: any Sendable]]) throws {
        let body = try JSONSerialization.data(withJSONObject: ["keys": keys])
        self.change { $0 = Behaviour(body: body) }
    }

    func change(_ change: @Sendable (inout Behaviour) -> Void) {
        self.behaviour.withLock { change(&$0) }
    }

    /// Runs the server for the time of a test and passes its address.
    func run<Value: Sendable>(_ test: @escaping @Sendable (String) async throws -> Value) async throws -> Value {
        let router = Router()
        router.get("jwks.json") { _, _ in try await self.answer() }
        let application = Application(router: router)
        return try await application.test(.live) { client in
            // A server that stops before it has taken the test client's own connection takes the process with it.
            _ = try await client.execute(uri: "/ready", method: .get)
            return try await test("http://localhost:\(client.port ?? 0)/jwks.json")
        }
    }

    private func answer() async throws -> Response {
        self.calls.add(1, ordering: .relaxed)
        let behaviour = self.behaviour.withLock { $0 }
        if behaviour.delay > .zero { try await Task.sleep(for: behaviour.delay) }
        if let target = behaviour.redirect { return Response(status: .found, headers: [.location: target]) }
        return Response(
            status: behaviour.status,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: behaviour.body))
        )
    }
}
