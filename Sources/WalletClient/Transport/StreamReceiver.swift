import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Delivers one response piece by piece as URL loading receives it.
final class StreamReceiver: NSObject, URLSessionDataDelegate {
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
