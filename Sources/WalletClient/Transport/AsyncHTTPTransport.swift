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

        /// Lives as long as the process, as the shared one does.
        private static let streaming = HTTPClient(
            configuration: HTTPClient.Configuration(
                timeout: HTTPClient.Configuration.Timeout(read: .seconds(longestSilence))
            )
        )

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let response = try await HTTPClient.shared.execute(self.outgoing(request), timeout: self.timeout)
            let body = try await response.body.collect(upTo: Self.largestAnswer)
            return self.response(response, body)
        }

        func stream(_ request: TransportRequest, _ receive: (Data) throws -> Void) async throws -> TransportResponse {
            let response = try await Self.streaming.execute(self.outgoing(request), timeout: self.timeout)
            guard response.status == .ok else {
                return self.response(response, try await response.body.collect(upTo: Self.largestAnswer))
            }
            for try await chunk in response.body { try receive(Data(buffer: chunk)) }
            return self.response(response, ByteBuffer())
        }

        private func outgoing(_ request: TransportRequest) -> HTTPClientRequest {
            var outgoing = HTTPClientRequest(url: request.url)
            outgoing.method = HTTPMethod(rawValue: request.method)
            outgoing.body = request.body.map { .bytes(ByteBuffer(data: $0)) }
            for header in request.headers {
                outgoing.headers.add(name: header.name, value: header.value)
            }
            return outgoing
        }

        private func response(_ response: HTTPClientResponse, _ body: ByteBuffer) -> TransportResponse {
            TransportResponse(
                status: Int(response.status.code),
                headers: response.headers.map { (name: $0.name, value: $0.value) },
                body: Data(buffer: body)
            )
        }
    }
#endif
