import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// Sends one notification, with retries.
struct NotificationSender: Sendable {
    private static let tries = 5
    private static let firstPause = Duration.milliseconds(100)

    /// The client for notifications, which lives as long as the process and is never shut down.
    ///
    /// It reports a refused connection immediately, whereas the shared client retries until the timeout.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    let faults: FaultQueue

    /// Sends until the receiver accepts the notification, at most five times with pauses of 0.1 to 0.8 seconds.
    /// - Parameters:
    ///   - body: The body, the same for every attempt.
    ///   - url: The receiver's URL.
    ///   - writer: Creates the headers of each attempt.
    ///   - note: Records the status of each attempt, nil if there was no answer.
    func send(
        _ body: Data,
        to url: String,
        with writer: NotificationWriter,
        note: @Sendable (Int?) async -> Void
    ) async {
        var pause = Self.firstPause
        for attempt in 1...Self.tries {
            let status = await self.attempt(body, to: url, with: writer)
            await note(status)
            if let status, (200..<300).contains(status) { return }
            guard attempt < Self.tries else { return }
            try? await Task.sleep(for: pause)
            pause *= 2
        }
    }

    private func attempt(_ body: Data, to url: String, with writer: NotificationWriter) async -> Int? {
        var body = body
        if let fault = self.faults.next(for: .notifications) {
            try? await Task.sleep(for: fault.delay)
            switch fault.kind {
            case .slow: break
            case .truncated: body = body.prefix(body.count / 2)
            case .http(let status, _): return status
            case .store, .html, .hang, .reset: return nil
            }
        }
        do {
            var request = HTTPClientRequest(url: url)
            request.method = .POST
            request.headers = try await writer.headers(body)
            request.headers.replaceOrAdd(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(data: body))
            let response = try await Self.client.execute(request, timeout: .seconds(10))
            return Int(response.status.code)
        } catch {
            return nil
        }
    }
}
