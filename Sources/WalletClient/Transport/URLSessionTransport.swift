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
            guard let url = URL(string: request.url) else { throw WalletClientError(.invalidURL) }
            var outgoing = URLRequest(url: url, timeoutInterval: self.timeout)
            outgoing.httpMethod = request.method
            outgoing.httpBody = request.body
            for header in request.headers {
                outgoing.setValue(header.value, forHTTPHeaderField: header.name)
            }
            let (body, response) = try await self.session.data(for: outgoing)
            guard let response = response as? HTTPURLResponse else { throw WalletClientError(.unreachable) }
            let headers = response.allHeaderFields.compactMap { name, value in
                (name as? String).map { (name: $0, value: "\(value)") }
            }
            return TransportResponse(status: response.statusCode, headers: headers, body: body)
        }
    }
#endif
