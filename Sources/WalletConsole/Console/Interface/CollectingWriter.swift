import HTTPTypes
import Hummingbird
import NIOCore

/// Collects the body of a response in memory.
final class CollectingWriter: ResponseBodyWriter {
    private(set) var buffer = ByteBuffer()
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    func write(_ buffer: ByteBuffer) async throws {
        guard self.buffer.readableBytes + buffer.readableBytes <= self.limit else {
            throw ConsoleProblem(status: 500, title: "The response is too large for a page.")
        }
        self.buffer.writeImmutableBuffer(buffer)
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
