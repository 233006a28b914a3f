import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A connection that a test writes to byte by byte, as no proper client does.
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

    static func open(port: Int?) async throws -> RawConnection {
        let collector = Collector()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(collector) }
            }
            .connect(host: "127.0.0.1", port: port ?? 0).get()
        return RawConnection(channel: channel, collector: collector)
    }

    /// All that has come so far.
    var text: String { String(decoding: self.collector.bytes.withLock { $0 }, as: UTF8.self) }

    var isOpen: Bool { self.channel.isActive }

    /// Sends text; that the other side has closed is no failure here, tests look at that themselves.
    func send(_ text: String) async {
        try? await self.channel.writeAndFlush(ByteBuffer(string: text)).get()
    }

    func close() async {
        try? await self.channel.close().get()
    }

    /// Sends a text again and again until the other side has closed the connection.
    ///
    /// - Returns: How long that took; nil if it is open after the given time.
    func dribble(
        _ text: String,
        every pause: Duration = .milliseconds(50),
        upTo limit: Duration
    ) async throws -> Duration? {
        let start = ContinuousClock.now
        while self.isOpen {
            guard start.duration(to: .now) < limit else { return nil }
            if !text.isEmpty { await self.send(text) }
            try await Task.sleep(for: pause)
        }
        return start.duration(to: .now)
    }

    /// Waits until so many answers have come, or the time is over.
    func answers(_ count: Int, within limit: Duration = .seconds(5)) async throws -> Int {
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
