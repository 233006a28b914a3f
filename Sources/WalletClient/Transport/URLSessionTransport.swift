import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Carries bytes by Foundation's URL loading, on Apple's platforms and on Linux alike.
final class URLSessionTransport: WalletTransport {
    private let session: URLSession
    private let timeout: TimeInterval

    init(timeout: Duration) {
        self.timeout = TimeInterval(timeout.components.seconds)
        self.session = URLSession(configuration: Self.configuration())
    }

    deinit {
        self.session.finishTasksAndInvalidate()
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        // Not `data(for:)`: on Linux it cancels its task while the runtime holds a lock that the answer's arrival waits
        // for, and both wait for ever. A stream ends when its reader is cancelled; the task is cancelled after that.
        let (answers, answer) = AsyncThrowingStream.makeStream(of: TransportResponse.self)
        let task = try self.session.dataTask(with: Self.outgoing(request, self.timeout)) { body, response, error in
            if let body, let response = response as? HTTPURLResponse {
                answer.yield(TransportResponse(response, body))
            }
            answer.finish(throwing: error)
        }
        task.resume()
        defer { task.cancel() }
        for try await response in answers { return response }
        try Task.checkCancellation()
        throw URLError(.badServerResponse)
    }

    func stream(_ request: TransportRequest, _ receive: (Data) throws -> Void) async throws -> TransportResponse {
        // This timeout counts silence, not the whole answer.
        let outgoing = try Self.outgoing(request, TimeInterval(longestSilence))
        let receiver = StreamReceiver()
        // A session of the stream's own: on Linux only a session's delegate gets an answer piece by piece.
        let session = URLSession(configuration: Self.configuration(), delegate: receiver, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        session.dataTask(with: outgoing).resume()
        var response: TransportResponse?
        for try await piece in receiver.pieces {
            switch piece {
            case .head(let head): response = head
            case .body(let data) where response?.status == 200: try receive(data)
            case .body(let data): response?.body.append(data)
            }
        }
        try Task.checkCancellation()
        guard let response else { throw URLError(.badServerResponse) }
        return response
    }

    private static func configuration() -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        // A balance from a cache would be an old one.
        configuration.urlCache = nil
        return configuration
    }

    private static func outgoing(_ request: TransportRequest, _ timeout: TimeInterval) throws -> URLRequest {
        guard let url = URL(string: request.url), ["http", "https"].contains(url.scheme),
            let host = url.host(), !host.isEmpty
        else { throw WalletClientError(.invalidURL) }
        var outgoing = URLRequest(url: url, timeoutInterval: timeout)
        outgoing.httpMethod = request.method
        outgoing.httpBody = request.body
        for header in request.headers {
            outgoing.setValue(header.value, forHTTPHeaderField: header.name)
        }
        return outgoing
    }
}
