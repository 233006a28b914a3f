import AsyncHTTPClient
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

import struct Foundation.Data
import struct Foundation.Date

/// One HTTP exchange with a store, with limits on time and answer size.
///
/// A redirect is never accepted as an answer, regardless of the client's setting.
struct StoreCall: Sendable {
    /// The request to send.
    struct Request: Sendable {
        var method: HTTPMethod
        /// The URL; every id in it must be escaped with ``StorePath/segment(_:)``.
        var url: String
        /// Headers in addition to `accept` and `user-agent`, which every call carries.
        var headers: [(String, String)] = []
        var body: Data?
        /// The operation's name in metrics.
        var operation = StoreOperation.other
    }

    /// The outcome of the exchange.
    enum Outcome: Sendable {
        /// A complete answer with any status; the store may have sent the number of seconds before a retry.
        case answered(status: Int, retryAfter: Int?, body: Data)
        /// No complete answer in time, or the connection failed.
        case unreachable
        /// An answer that a store does not give: a redirect, or one larger than allowed.
        case unusable
    }

    let httpClient: HTTPClient
    let maximumResponseBytes: Int
    private let metrics = StoreCallMetrics()

    init(httpClient: HTTPClient, maximumResponseBytes: Int) {
        self.httpClient = httpClient
        self.maximumResponseBytes = maximumResponseBytes
    }

    /// Sends the request and collects the answer.
    ///
    /// The client's own deadline covers only the head of the answer, so the whole exchange is raced against the timeout
    /// here.
    func send(_ request: Request, within timeout: Duration) async -> Outcome {
        let start = ContinuousClock.now
        let outcome = await self.race(request, within: timeout)
        self.metrics.note(request, outcome, took: start.duration(to: .now))
        return outcome
    }

    private func race(_ request: Request, within timeout: Duration) async -> Outcome {
        await withTaskGroup(of: Outcome?.self) { group in
            group.addTask { await self.exchange(request) }
            group.addTask {
                // The task is cancelled when the exchange ends, so the cancellation error is ignored.
                try? await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next()?.flatMap { $0 } ?? .unreachable
        }
    }

    private func exchange(_ request: Request) async -> Outcome {
        do {
            let response = try await self.httpClient.execute(self.message(for: request), deadline: .distantFuture)
            guard response.history.count <= 1, !(300..<400).contains(response.status.code) else { return .unusable }
            let bytes = try await response.body.collect(upTo: self.maximumResponseBytes)
            return .answered(
                status: Int(response.status.code),
                retryAfter: response.headers.first(name: "retry-after").flatMap { StoreRetryAfter($0, now: Date()) }?
                    .seconds,
                body: Data(buffer: bytes)
            )
        } catch is NIOTooManyBytesError {
            return .unusable
        } catch {
            return .unreachable
        }
    }

    /// The body, even an empty one, is a stream that can be sent only once.
    ///
    /// A client that follows redirects therefore cannot send it, and a secret in it, to another host.
    private func message(for request: Request) -> HTTPClientRequest {
        var message = HTTPClientRequest(url: request.url)
        message.method = request.method
        message.headers.add(name: "accept", value: "application/json")
        message.headers.add(name: "user-agent", value: "credit-wallet")
        for (name, value) in request.headers {
            message.headers.replaceOrAdd(name: name, value: value)
        }
        let body = request.body ?? Data()
        let once = AsyncStream<ByteBuffer> { continuation in
            if !body.isEmpty { continuation.yield(ByteBuffer(data: body)) }
            continuation.finish()
        }
        message.body = .stream(once, length: .known(Int64(body.count)))
        return message
    }
}
