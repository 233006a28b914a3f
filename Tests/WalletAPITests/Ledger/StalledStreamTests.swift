import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOEmbedded
import Synchronization
import Testing
import Wallet

@testable import WalletAPI

/// Tests of balance streams whose client takes nothing, so that a write never completes.
@Suite struct StalledStreamTests {
    private static let limits = StreamLimits(heartbeat: .seconds(10))

    @Test func `a client that takes nothing is disconnected, and its response ends`() async throws {
        let stalled = try await StalledStream.open()
        stalled.stream.tick(at: .now + .seconds(15), Self.limits)
        #expect(stalled.channel.isActive)
        stalled.stream.tick(at: .now + .seconds(25), Self.limits)
        try await stalled.channel.closeFuture.get()
        try await stalled.response.value
        #expect(!stalled.stream.isWriting)
    }

    @Test func `a stream that ends is kept until its client is disconnected`() async throws {
        let stalled = try await StalledStream.open()
        stalled.stream.receive(.gone)
        #expect(stalled.stream.isWriting)
        #expect(stalled.channel.isActive)
        stalled.stream.cut()
        try await stalled.channel.closeFuture.get()
        try await stalled.response.value
    }
}

/// A stream whose first write is pending.
private struct StalledStream {
    let channel: NIOAsyncTestingChannel
    let stream: BalanceStream
    let response: Task<Void, any Error>

    static func open() async throws -> StalledStream {
        let channel = await NIOAsyncTestingChannel(handler: Dam())
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).get()
        let stream = BalanceStream(
            connection: StreamConnection(channel, stall: .seconds(20)),
            endsAt: .now + .seconds(3600),
            lastEventID: nil
        )
        let response = Task {
            var writer: any ResponseBodyWriter = EndOfBody()
            try await stream.write(to: &writer)
        }
        while !stream.isWriting { await Task.yield() }
        return StalledStream(channel: channel, stream: stream, response: response)
    }
}

/// Accepts writes and completes none of them before the connection is closed.
private final class Dam: ChannelOutboundHandler, Sendable {
    typealias OutboundIn = Any

    private let pending = Mutex<[EventLoopPromise<Void>]>([])

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        self.pending.withLock { if let promise { $0.append(promise) } }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        let writes = self.pending.withLock { pending in
            defer { pending = [] }
            return pending
        }
        for write in writes { write.fail(ChannelError.ioOnClosedChannel) }
        context.close(mode: mode, promise: promise)
    }
}

/// A writer that only ends the body.
private struct EndOfBody: ResponseBodyWriter {
    func write(_ buffer: ByteBuffer) async throws {}
    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
