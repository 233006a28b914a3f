import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A connection on which a test sends raw bytes, unlike a correct client.
final class RawConnection: Sendable {
    private let channel: any Channel
    private let collector: Collector

    private final class Collector: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        let bytes = Mutex<[UInt8]>([])

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = self.unwrapInboundIn(data)
            self.bytes.withLock { $0.append(contentsOf: buffer.readableBytesView) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }

    private init(channel: any Channel, collector: Collector) {
        self.channel = channel
        self.collector = collector
    }

    static func open(port: Int?, isReading: Bool = true) async throws -> RawConnection {
        let collector = Collector()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: isReading)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(collector) }
            }
            .connect(host: "127.0.0.1", port: port ?? 0).get()
        return RawConnection(channel: channel, collector: collector)
    }

    /// The text received so far.
    var text: String { String(decoding: self.collector.bytes.withLock { $0 }, as: UTF8.self) }

    var isOpen: Bool { self.channel.isActive }

    /// Sends text; a connection that the server has closed is no error here, because tests check that themselves.
    func send(_ text: String) async {
        try? await self.channel.writeAndFlush(ByteBuffer(string: text)).get()
    }

    func close() async {
        try? await self.channel.close().get()
    }

    /// Sends a text repeatedly until the server closes the connection.
    ///
    /// - Returns: The time that this took, or nil if the connection is still open after the limit.
    func dribble(_ text: String, upTo limit: Duration) async throws -> Duration? {
        let start = ContinuousClock.now
        while self.isOpen {
            guard start.duration(to: .now) < limit else { return nil }
            if !text.isEmpty { await self.send(text) }
            try await Task.sleep(for: .milliseconds(50))
        }
        return start.duration(to: .now)
    }

    /// Waits for the given number of responses, or for the time limit, and returns their number.
    func answers(_ count: Int, within limit: Duration = .seconds(60)) async throws -> Int {
        let start = ContinuousClock.now
        var found = 0
        repeat {
            found = self.text.ranges(of: "HTTP/1.1 ").count
            if found >= count { break }
            try await Task.sleep(for: .milliseconds(10))
        } while start.duration(to: .now) < limit
        return found
    }
}
