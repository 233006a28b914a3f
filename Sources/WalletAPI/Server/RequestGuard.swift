import Foundation
import HTTPTypes
import Logging
import Metrics
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Wallet

/// Sees to it that each request of a connection arrives in time and in the form of HTTP.
///
/// A request that does not gets a refusal where that can still be sent, and its connection is closed: what follows it could
/// not be distinguished from it. Anyone who sends one byte now and then to keep a connection busy so loses it. Time runs only
/// while something is missing of a request that has begun, and until a connection's first byte; for silence between
/// requests there is the idle timeout.
///
/// How much of a body is read is the route's affair; the rest of one that is too large is passed over while its time
/// lasts, since clients that are still sending seldom look for an answer on a connection that is closed.
final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum Reading {
        case nothing
        case head
        case body
    }

    /// How long a refused request's route may take to answer.
    private static let patience: TimeAmount = .seconds(5)

    /// How many bytes of framing each byte of a body may come with: the smallest chunks need five.
    private static let framingFactor = 16

    private let limits: HTTPLimits
    private let refusals: RefusalMetrics
    private let connections: ConnectionMetrics
    private let logger: Logger
    private var isSilent = true
    /// How many bytes came for the present body beyond its content, less what its content allows.
    private var framing = 0
    private var reading = Reading.nothing
    private var hasReadParts = false
    private var isInputClosed = false
    /// How many requests have come whose answers are not written.
    private var unanswered = 0
    private var isRefused = false
    private var deadline: Scheduled<Void>?

    init(limits: HTTPLimits, refusals: RefusalMetrics, connections: ConnectionMetrics, logger: Logger) {
        self.limits = limits
        self.refusals = refusals
        self.connections = connections
        self.logger = logger
    }

    /// Puts what looks at requests before they are decoded where it must stand.
    func handlerAdded(context: ChannelHandlerContext) {
        do {
            let pipeline = context.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(RequestFormGuard(), position: .before(codec))
            try pipeline.addHandler(WireMeter(for: self), position: .first)
        } catch {
            preconditionFailure("The connection has no decoder: \(error)")
        }
        if context.channel.isActive { self.awaitFirstByte(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        self.awaitFirstByte(context)
        context.fireChannelActive()
    }

    /// Notes that bytes came which are not decoded yet.
    func bytesCame(_ count: Int) {
        if self.reading == .body { self.framing += count }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isRefused else { return }
        self.hasReadParts = true
        switch self.unwrapInboundIn(data) {
        case .head:
            self.stopClock()
            self.reading = .body
            self.framing = 0
            self.unanswered += 1
        case .body(let bytes):
            // The first bytes came before their head was read, and are not among those that count.
            self.framing -= min(self.framing, bytes.readableBytes * (1 + Self.framingFactor))
        case .end:
            self.stopClock()
            self.reading = .nothing
        }
        context.fireChannelRead(data)
    }

    /// Starts the clock only when a request is incomplete after all that came at once: most never are.
    func channelReadComplete(context: ChannelHandlerContext) {
        if self.isSilent {
            self.isSilent = false
            self.stopClock()
        }
        if self.reading == .body, self.framing > self.limits.headerBytes {
            self.refuse(.malformed("The body's chunks hold far more than its content."), context)
        }
        if !self.isRefused, !self.isInputClosed, self.deadline == nil {
            switch self.reading {
            case .nothing where !self.hasReadParts:
                // Bytes came, and nothing whole: a head has begun.
                self.reading = .head
                self.startClock(self.limits.headTimeout, context)
            case .body: self.startClock(self.limits.bodyTimeout, context)
            case .nothing, .head: break
            }
        }
        self.hasReadParts = false
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event {
            // What is missing will never come, which shows without a clock.
            self.isInputClosed = true
            self.stopClock()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // After a refusal all that comes is the rest of what was refused.
        guard !self.isRefused else { return }
        guard let problem = Self.problem(error) else { return context.fireErrorCaught(error) }
        self.refuse(problem, context)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch self.unwrapOutboundIn(data) {
        case .head(var head) where self.isRefused:
            head.headerFields[.connection] = "close"
            context.write(self.wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            self.unanswered -= 1
            guard self.isRefused else { return context.write(data, promise: promise) }
            context.writeAndFlush(data, promise: promise)
            context.channel.close(after: .seconds(1))
        default: context.write(data, promise: promise)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.stopClock()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.stopClock()
    }

    private func awaitFirstByte(_ context: ChannelHandlerContext) {
        guard self.isSilent, self.deadline == nil else { return }
        let wait = TimeAmount(self.limits.firstByteTimeout)
        self.deadline = context.eventLoop.assumeIsolated().scheduleTask(in: wait) {
            self.deadline = nil
            self.connections.silent.increment()
            context.close(promise: nil)
        }
    }

    private func startClock(_ timeout: Duration, _ context: ChannelHandlerContext) {
        self.deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(timeout)) {
            self.deadline = nil
            self.refuse(.requestTimeout, context)
        }
    }

    private func stopClock() {
        self.deadline?.cancel()
        self.deadline = nil
    }

    private func refuse(_ problem: Problem, _ context: ChannelHandlerContext) {
        guard !self.isRefused, context.channel.isActive else { return }
        self.isRefused = true
        self.stopClock()
        self.logger.info("a request was refused before it was complete", metadata: ["problem": "\(problem.slug)"])
        if self.unanswered > 0 {
            // The route that waits for the body gets this as its error, and answers with it.
            context.fireErrorCaught(problem)
            context.channel.close(after: Self.patience)
        } else if self.reading == .body {
            // Answered already, without the rest of its body.
            self.refusals.note(problem)
            context.close(promise: nil)
        } else {
            self.refusals.note(problem)
            self.answer(problem, context)
        }
    }

    private func answer(_ problem: Problem, _ context: ChannelHandlerContext) {
        guard let (head, body) = try? problem.connectionAnswer() else { return context.close(promise: nil) }
        context.write(self.wrapOutboundOut(.head(head)), promise: nil)
        context.write(self.wrapOutboundOut(.body(body)), promise: nil)
        context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
        context.channel.close(after: .seconds(1))
    }

    /// What a failure of the decoder says to the client; nil for one of the connection.
    private static func problem(_ error: any Error) -> Problem? {
        if let problem = error as? Problem { return problem }
        if let error = error as? HTTPParserError {
            return error == .headerOverflow ? .headersTooLarge : .malformed("The request has not the form of HTTP/1.1.")
        }
        return error is HTTP1TypeConversionError ? .malformed("The request's line cannot be understood.") : nil
    }
}

extension Channel {
    /// Closes the connection in a while: at once, what was written last could be lost to unread bytes behind it.
    fileprivate func close(after delay: TimeAmount) {
        self.eventLoop.scheduleTask(in: delay) { self.close(promise: nil) }
    }
}

extension Problem {
    /// The answer to what never became a request, after which the connection ends.
    fileprivate func connectionAnswer() throws -> (head: HTTPResponse, body: ByteBuffer) {
        var problem = self
        let id = UUID.random().wireText
        problem.requestID = id
        let body = ByteBuffer(bytes: try WireJSON.encoder.encode(problem.document))
        var headers: HTTPFields = [
            .contentType: "application/problem+json", .contentLength: String(body.readableBytes),
            .cacheControl: "no-store", .connection: "close", .requestID: id,
        ]
        headers.addSecurityFields()
        return (HTTPResponse(status: self.status, headerFields: headers), body)
    }
}
