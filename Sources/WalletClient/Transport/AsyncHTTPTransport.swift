#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    import AsyncHTTPClient
    import Foundation
    import NIOCore
    import NIOFoundationCompat
    import NIOHTTP1

    /// Carries bytes by AsyncHTTPClient, where URL loading would bring libcurl in.
    struct AsyncHTTPTransport: WalletTransport {
        private static let largestAnswer = 16 * 1_024 * 1_024

        private let timeout: TimeAmount

        init(timeout: Duration) {
            self.timeout = .seconds(timeout.components.seconds)
        }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            var outgoing = HTTPClientRequest(url: request.url)
            outgoing.method = HTTPMethod(rawValue: request.method)
            outgoing.body = request.body.map { .bytes(ByteBuffer(data: $0)) }
            for header in request.headers {
                outgoing.headers.add(name: header.name, value: header.value)
            }
            let response = try await HTTPClient.shared.execute(outgoing, timeout: self.timeout)
            let body = try await response.body.collect(upTo: Self.largestAnswer)
            return TransportResponse(
                status: Int(response.status.code),
                headers: response.headers.map { (name: $0.name, value: $0.value) },
                body: Data(buffer: body)
            )
        }
    }
#endif
