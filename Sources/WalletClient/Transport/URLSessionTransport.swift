import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests with Foundation's URL loading, on Apple's platforms and on Linux.
///
/// Both methods throw any error if no complete response comes.
final class URLSessionTransport: Sendable {
    /// The time without data after which a stream is considered lost, in seconds: three of the server's heartbeats.
    private static let longestSilence: TimeInterval = 45

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
        // `data(for:)` can deadlock on Linux: it cancels its task while the runtime holds a lock that the arrival of
        // the response waits for. A stream ends when its reader is cancelled, and the task is cancelled after that.
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

    /// Passes the body of a successful response to `receive` piece by piece; returns the body of other responses.
    func stream(_ request: TransportRequest, _ receive: (Data) throws -> Void) async throws -> TransportResponse {
        // This timeout limits the time without data, not the duration of the whole response.
        let outgoing = try Self.outgoing(request, Self.longestSilence)
        let receiver = StreamReceiver()
        // The stream needs its own session: on Linux only a session's delegate receives a response piece by piece.
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
        // A cached balance would be out of date.
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

/// Delivers one response piece by piece as URL loading receives it.
private final class StreamReceiver: NSObject, URLSessionDataDelegate {
    /// A piece of the response.
    enum Piece: Sendable {
        /// Status and header fields.
        case head(TransportResponse)
        /// The next bytes of the body.
        case body(Data)
    }

    /// The pieces in order; the stream throws the error of URL loading.
    let pieces: AsyncThrowingStream<Piece, any Error>
    private let continuation: AsyncThrowingStream<Piece, any Error>.Continuation

    override init() {
        (self.pieces, self.continuation) = AsyncThrowingStream.makeStream()
        super.init()
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse {
            self.continuation.yield(.head(TransportResponse(response, Data())))
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        self.continuation.yield(.body(data))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        self.continuation.finish(throwing: error)
    }
}

/// One HTTP request of the client.
struct TransportRequest: Sendable {
    var method: String
    var url: String
    var headers: [(name: String, value: String)]
    var body: Data?
}

/// A complete HTTP response.
struct TransportResponse: Sendable {
    var status: Int
    var headers: [(name: String, value: String)]
    var body: Data

    func header(_ name: String) -> String? {
        self.headers.first { $0.name.lowercased() == name }?.value
    }
}

extension TransportResponse {
    init(_ response: HTTPURLResponse, _ body: Data) {
        let headers = response.allHeaderFields.compactMap { name, value in
            (name as? String).map { (name: $0, value: "\(value)") }
        }
        self.init(status: response.statusCode, headers: headers, body: body)
    }
}
