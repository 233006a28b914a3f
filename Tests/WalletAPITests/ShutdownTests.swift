import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Stores
import Testing
import WalletAPI

@Suite struct ShutdownTests {
    @Test func `a request under way is finished although the server stops`() async throws {
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let server = WalletServer(
            configuration: WalletServerConfiguration(port: 0),
            wallet: try ServerHarness.deadWallet(),
            tokens: try await ServerHarness.tokens(),
            stores: StoreClients(),
            logger: .silent,
            onListening: { listening.yield($0) }
        )
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [server], logger: .silent))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let port = try #require(await ports.first { _ in true })
            // Half of the body is sent before the server is told to stop, the other half after.
            let (body, sending) = AsyncStream.makeStream(of: ByteBuffer.self)
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/operator/classes/pottery")
            request.method = .PUT
            request.headers.add(name: "Content-Type", value: "application/json")
            request.headers.add(name: "Idempotency-Key", value: "k")
            request.headers.add(name: "Authorization", value: "Bearer \(try ServerHarness.operatorToken())")
            request.body = .stream(body, length: .unknown)
            sending.yield(ByteBuffer(string: "{\"title\":"))
            async let pending = HTTPClient.shared.execute(request, timeout: .seconds(10))
            try await Task.sleep(for: .milliseconds(300))
            await group.triggerGracefulShutdown()
            try await Task.sleep(for: .milliseconds(300))
            sending.yield(ByteBuffer(string: "7}"))
            sending.finish()
            let response = try await pending
            #expect(response.status == .badRequest)
            #expect(response.headers["Connection"] == ["close"])
            let problem = String(buffer: try await response.body.collect(upTo: 1 << 16))
            #expect(problem.contains("\\\"title\\\" must be a text"))
            try await tasks.waitForAll()
        }
    }

    @Test func `a stopping server says so and then takes no more`() async throws {
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let server = WalletServer(
            configuration: WalletServerConfiguration(port: 0, drainDelay: .milliseconds(800)),
            wallet: try ServerHarness.deadWallet(),
            tokens: try await ServerHarness.tokens(),
            stores: StoreClients(),
            logger: .silent,
            onListening: { listening.yield($0) }
        )
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [server], logger: .silent))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let port = try #require(await ports.first { _ in true })
            let before = try await Self.get(port, "/health")
            #expect(before.status == .ok)
            #expect(before.headers["Connection"] == [])

            await group.triggerGracefulShutdown()
            try await Task.sleep(for: .milliseconds(200))
            // Still served, but every client is told to go elsewhere.
            let during = try await Self.get(port, "/health")
            #expect(during.status == .ok)
            #expect(during.headers["Connection"] == ["close"])
            let ready = try await Self.get(port, "/ready")
            #expect(ready.status == .serviceUnavailable)
            #expect(ready.headers["Connection"] == ["close"])
            #expect(ready.headers["Retry-After"] == ["5"])

            try await tasks.waitForAll()
            await #expect(throws: (any Error).self) { try await Self.get(port, "/health") }
        }
    }

    private static func get(_ port: Int, _ path: String) async throws -> HTTPClientResponse {
        let request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(5))
        _ = try await response.body.collect(upTo: 1 << 16)
        return response
    }
}
