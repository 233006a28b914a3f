public import Hummingbird
public import HummingbirdCore
import Logging
import ServiceLifecycle

/// An HTTP server that a test runs on a free port of 127.0.0.1.
public enum LocalServer {
    /// Runs a server while the body runs; afterwards, its open requests have two seconds.
    ///
    /// - Parameters:
    ///   - router: The routes.
    ///   - server: The protocol; the default is plain HTTP.
    ///   - body: A closure that receives the port.
    /// - Throws: An error that the body throws.
    public static func run(
        _ router: Router<BasicRequestContext>,
        server: HTTPServerBuilder = .http1(),
        _ body: (Int) async throws -> Void
    ) async throws {
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router,
            server: server,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0), reuseAddress: false),
            onServerRunning: { listening.yield($0.localAddress?.port ?? 0) },
            logger: .quiet
        )
        var configuration = ServiceGroupConfiguration(services: [application], logger: .quiet)
        configuration.maximumGracefulShutdownDuration = .seconds(2)
        let group = ServiceGroup(configuration: configuration)
        let running = Task {
            defer { listening.finish() }
            try await group.run()
        }
        var result: Result<Void, any Error>?
        for await port in ports.prefix(1) {
            do { result = .success(try await body(port)) } catch { result = .failure(error) }
        }
        // A server whose task is cancelled while it accepts a connection can end the process; this one closes its
        // socket first.
        await group.triggerGracefulShutdown()
        let end = await running.result
        // Without a result, the server did not start.
        try (result ?? end).get()
    }
}
