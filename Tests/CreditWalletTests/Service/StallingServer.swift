import Foundation
import Hummingbird
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL
import Synchronization
import TestSupport

@testable import CreditWallet

/// A server that answers every booking request with an invented booking, and stalls once for a while.
final class StallingServer: Sendable {
    private let stall: ClosedRange<Double>
    private let start = Mutex<ContinuousClock.Instant?>(nil)

    private init(stall: ClosedRange<Double>) {
        self.stall = stall
    }

    /// Runs a server while the body runs.
    ///
    /// - Parameters:
    ///   - stall: The interval without responses, in seconds after the first request.
    ///   - security: The certificate and key; nil for plain HTTP.
    ///   - body: A closure that receives the server's URL.
    /// - Throws: An error that the body throws.
    static func run(
        stall: ClosedRange<Double>,
        security: TLSConfiguration? = nil,
        _ body: (String) async throws -> Void
    ) async throws {
        let server = StallingServer(stall: stall)
        let router = Router()
        router.post("bookings") { _, _ in try await server.answer() }
        guard let security else {
            return try await LocalServer.run(router) { port in try await body("http://127.0.0.1:\(port)") }
        }
        try await LocalServer.run(router, server: .tls(.http1(), tlsConfiguration: security)) { port in
            try await body("https://127.0.0.1:\(port)")
        }
    }

    private func answer() async throws -> Response {
        let start = self.start.withLock { start in
            let first = start ?? .now
            start = first
            return first
        }
        let time = start.duration(to: .now) / .seconds(1)
        if self.stall.contains(time) { try await Task.sleep(until: start + .seconds(self.stall.upperBound)) }
        let body = #"{"booking":{"booking_id":"\#(UUID().uuidString.lowercased())"}}"#
        return Response(status: .created, body: ResponseBody(byteBuffer: ByteBuffer(string: body)))
    }
}
