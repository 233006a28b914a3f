import AsyncHTTPClient
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

import struct Foundation.Data
import struct Foundation.Date

/// One HTTP exchange with a store, bounded in time and in the size of the answer.
///
/// Redirects are never taken for an answer, whatever the client's own setting.
struct StoreCall: Sendable {
    /// What is sent.
    struct Request: Sendable {
        var method: HTTPMethod
        /// Every id in it must have come through ``StorePath/segment(_:)``.
        var url: String
        /// In addition to `accept` and `user-agent`, which every call carries.
        var headers: [(String, String)] = []
        var body: Data?
        /// What metrics call it.
        var operation = StoreOperation.other
    }

    /// What came of it.
    enum Outcome: Sendable {
        /// A complete answer, whatever its status; the store may have said in how many seconds to come again.
        case answered(status: Int, retryAfter: Int?, body: Data)
        /// No complete answer in time, or the connection failed or broke.
        case unreachable
        /// An answer that no store gives: redirected, or larger than allowed.
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
    /// The client's own deadline ends with the answer's head, so the whole exchange is raced against the timeout here.
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
                // Cancelled as soon as the exchange is over; being cut short is then the point.
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

    /// The body, even an empty one, is a stream that can be sent once: a client that follows redirects then cannot carry
    /// it, and the secret in it, to another place.
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
