#if canImport(Darwin)
    import Foundation

    /// Carries bytes by the system's URL loading.
    struct URLSessionTransport: WalletTransport {
        private let session: URLSession
        private let timeout: TimeInterval

        init(timeout: Duration) {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpCookieStorage = nil
            self.session = URLSession(configuration: configuration)
            self.timeout = TimeInterval(timeout.components.seconds)
        }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let (body, response) = try await self.session.data(for: self.outgoing(request, self.timeout))
            return try self.response(response, body)
        }

        func stream(_ request: TransportRequest, _ receive: (Data) throws -> Void) async throws -> TransportResponse {
            // This timeout counts silence, not the whole answer.
            let outgoing = try self.outgoing(request, TimeInterval(longestSilence))
            let (bytes, response) = try await self.session.bytes(for: outgoing)
            let isStream = (response as? HTTPURLResponse)?.statusCode == 200
            var piece = Data()
            for try await byte in bytes {
                piece.append(byte)
                guard isStream, byte == UInt8(ascii: "\n") else { continue }
                try receive(piece)
                piece.removeAll(keepingCapacity: true)
            }
            return try self.response(response, piece)
        }

        private func outgoing(_ request: TransportRequest, _ timeout: TimeInterval) throws -> URLRequest {
            guard let url = URL(string: request.url) else { throw WalletClientError(.invalidURL) }
            var outgoing = URLRequest(url: url, timeoutInterval: timeout)
            outgoing.httpMethod = request.method
            outgoing.httpBody = request.body
            for header in request.headers {
                outgoing.setValue(header.value, forHTTPHeaderField: header.name)
            }
            return outgoing
        }

        private func response(_ response: URLResponse, _ body: Data) throws -> TransportResponse {
            guard let response = response as? HTTPURLResponse else { throw WalletClientError(.unreachable) }
            let headers = response.allHeaderFields.compactMap { name, value in
                (name as? String).map { (name: $0, value: "\(value)") }
            }
            return TransportResponse(status: response.statusCode, headers: headers, body: body)
        }
    }
#endif
