import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOPosix
import SandboxStores
import Testing

@Suite
struct ServiceTests {
    @Test
    func `the stores report the free port that they use and stop when cancelled`() async throws {
        let stores = try SandboxStores(configuration: Stores.configuration(), logger: .silent)
        let serving = Task { try await stores.run() }
        let port = try await stores.boundPort()
        #expect(port > 0)
        try await TestClient.withClient(host: "127.0.0.1", port: port) { client async throws in
            let clock = TestClient.Request("/sandbox/clock", method: .get, authority: "127.0.0.1:\(port)")
            #expect(try await client.execute(clock).status == .ok)
        }
        serving.cancel()
        _ = await serving.result
        await #expect(throws: SandboxStoresError.self) { try await stores.boundPort() }
    }

    @Test(.timeLimit(.minutes(10)))
    func `half a request does not keep the stores from stopping`() async throws {
        let stores = try SandboxStores(configuration: Stores.configuration(), logger: .silent)
        let serving = Task { try await stores.run() }
        let port = try await stores.boundPort()
        let client = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let whole = "GET /sandbox/clock HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
        let half = """
            POST /sandbox/clock HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r
            Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{
            """
        try await client.executeThenClose { answers, requests in
            // Both arrive together, so half a request is there as soon as the whole one has its answer.
            try await requests.write(ByteBuffer(string: whole + half))
            var iterator = answers.makeAsyncIterator()
            let answer = try #require(await iterator.next())
            #expect(String(buffer: answer).hasPrefix("HTTP/1.1 200"))
            let stop = ContinuousClock.now
            serving.cancel()
            try await serving.value
            // The request had its five seconds.
            #expect(ContinuousClock.now - stop > .seconds(4))
        }
    }

    @Test
    func `a port in use is an immediate error`() async throws {
        let first = try SandboxStores(configuration: Stores.configuration(), logger: .silent)
        let serving = Task { try await first.run() }
        var configuration = Stores.configuration()
        configuration.port = try await first.boundPort()
        let second = try SandboxStores(configuration: configuration, logger: .silent)
        await #expect(throws: (any Error).self) { try await second.run() }
        await #expect(throws: SandboxStoresError.self) { try await second.boundPort() }
        serving.cancel()
        _ = await serving.result
    }
}
