import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import Postgres
import ServiceLifecycle
import Stores
import TestSupport
import Testing
import Wallet
import WalletAPI

@Suite struct ShutdownTests {
    @Test func `a running request is completed during a shutdown`() async throws {
        let configuration = WalletServerConfiguration {
            $0.port = 0
            // The requests below must be answered before the delay ends, on a busy machine too.
            $0.drainDelay = .seconds(15)
        }
        try await ServerHarness.running(configuration) { port, group in
            // The first half of the body is sent before the shutdown, the second half after.
            let (body, sending) = AsyncStream.makeStream(of: ByteBuffer.self)
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/operator/classes/pottery")
            request.method = .PUT
            request.headers.add(name: "Content-Type", value: "application/json")
            request.headers.add(name: "Idempotency-Key", value: "k")
            request.headers.add(name: "Authorization", value: "Bearer \(try ServerHarness.operatorToken())")
            request.body = .stream(body, length: .unknown)
            sending.yield(ByteBuffer(string: "{\"starts_at\": \"2030-01-01T12:00:00Z\", \"title\":"))
            async let pending = HTTPClient.shared.execute(request, timeout: .seconds(60))
            // This delay is long enough for the first half to arrive on a busy machine.
            try await Task.sleep(for: .seconds(1))
            await group.triggerGracefulShutdown()
            _ = try await Self.firstWhileDraining(port)
            sending.yield(ByteBuffer(string: "7}"))
            sending.finish()
            let response = try await pending
            #expect(response.status == .badRequest)
            #expect(response.headers["Connection"] == ["close"])
            let problem = String(buffer: try await response.body.collect(upTo: 1 << 16))
            #expect(problem.contains("\\\"title\\\" must be a string"))
        }
    }

    @Test func `a stopping server announces it and then accepts no connections`() async throws {
        let configuration = WalletServerConfiguration {
            $0.port = 0
            // The requests below must be answered before the delay ends, on a busy machine too.
            $0.drainDelay = .seconds(15)
        }
        var stopped = 0
        try await ServerHarness.running(configuration) { port, group in
            stopped = port
            let before = try await Self.get(port, "/health")
            #expect(before.status == .ok)
            #expect(before.headers["Connection"] == [])

            await group.triggerGracefulShutdown()
            // The server still answers, but asks every client to close the connection.
            let during = try await Self.firstWhileDraining(port)
            #expect(during.status == .ok)
            let ready = try await Self.get(port, "/ready")
            #expect(ready.status == .serviceUnavailable)
            #expect(ready.headers["Connection"] == ["close"])
            #expect(ready.headers["Retry-After"] == ["5"])
        }
        await #expect(throws: (any Error).self) { _ = try await RawConnection.open(port: stopped) }
    }

    @Test(.database, .timeLimit(.minutes(10))) func `a shutdown ends streams at once`() async throws {
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let pool = Pool(configuration: PoolConfiguration(url: try TestDatabase.current.serviceURL), logger: .silent)
        let wallet = Wallet(pool: pool)
        let changes = BalanceChanges(wallet: wallet, logger: .silent)
        let server = WalletServer(
            configuration: WalletServerConfiguration {
                $0.port = 0
                // No stream is silent for so long, so a stream gets nothing after its balance.
                $0.streams = StreamLimits(heartbeat: .seconds(600))
            },
            wallet: wallet,
            changes: changes,
            tokens: try await ServerHarness.tokens(),
            stores: StoreClients(),
            logger: .silent,
            onListening: { listening.yield($0) }
        )
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: [pool, changes, server], logger: .silent)
        )
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let port = try #require(await ports.first { _ in true })
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/balance/stream")
            request.headers.add(name: "Authorization", value: "Bearer \(try ServerHarness.token("streaming"))")
            var streams: [EventReader] = []
            for _ in 0..<3 {
                streams.append(EventReader(try await HTTPClient.shared.execute(request, timeout: .seconds(60))))
                _ = try await streams[streams.count - 1].nextBalance()
            }
            await group.triggerGracefulShutdown()
            for index in streams.indices {
                let rest = try await streams[index].rest()
                #expect(rest.isEmpty)
            }
            let start = ContinuousClock.now
            try await tasks.waitForAll()
            // The tokens would have been valid for minutes.
            #expect(ContinuousClock.now - start < .seconds(30))
        }
    }

    /// Returns the first response that asks the client to close the connection, which a server does some time after the
    /// shutdown begins.
    private static func firstWhileDraining(_ port: Int) async throws -> HTTPClientResponse {
        while true {
            let response = try await Self.get(port, "/health")
            if response.headers["Connection"] == ["close"] { return response }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private static func get(_ port: Int, _ path: String) async throws -> HTTPClientResponse {
        let request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        _ = try await response.body.collect(upTo: 1 << 16)
        return response
    }
}
