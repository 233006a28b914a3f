import AsyncHTTPClient
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

import struct Foundation.Data

/// One POST of JSON to a store, bounded in time and in the size of the answer.
struct StorePost: Sendable {
    /// What came of it.
    enum Outcome: Sendable {
        /// A complete answer, whatever its status.
        case answered(status: Int, retryAfter: Int?, body: Data)
        /// No complete answer in time, or the connection failed or broke.
        case unreachable
        /// An answer that no store gives: redirected, or larger than allowed.
        case unusable
    }

    let httpClient: HTTPClient
    let url: String
    let maximumResponseBytes: Int

    /// Sends the body and collects the answer.
    ///
    /// The client's own deadline ends with the answer's head, so the whole exchange is raced against the timeout here.
    func send(_ body: Data, within timeout: Duration) async -> Outcome {
        await withTaskGroup(of: Outcome?.self) { group in
            group.addTask { await self.exchange(body) }
            group.addTask {
                // Cancelled as soon as the exchange is over; being cut short is then the point.
                try? await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next()?.flatMap { $0 } ?? .unreachable
        }
    }

    private func exchange(_ body: Data) async -> Outcome {
        do {
            let response = try await self.httpClient.execute(self.request(with: body), deadline: .distantFuture)
            guard response.history.count <= 1 else { return .unusable }
            let bytes = try await response.body.collect(upTo: self.maximumResponseBytes)
            return .answered(
                status: Int(response.status.code),
                retryAfter: response.headers.first(name: "retry-after").flatMap(Int.init),
                body: Data(buffer: bytes)
            )
        } catch is NIOTooManyBytesError {
            return .unusable
        } catch {
            return .unreachable
        }
    }

    /// The body is a stream that can be sent once: a client that follows redirects then cannot carry it, and the secret
    /// in it, to another place.
    private func request(with body: Data) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: self.url)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.headers.add(name: "accept", value: "application/json")
        request.headers.add(name: "user-agent", value: "credit-wallet")
        let once = AsyncStream<ByteBuffer> { continuation in
            continuation.yield(ByteBuffer(data: body))
            continuation.finish()
        }
        request.body = .stream(once, length: .known(Int64(body.count)))
        return request
    }
}
