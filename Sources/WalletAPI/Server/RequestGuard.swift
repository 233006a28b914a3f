import Foundation
import HTTPTypes
import Logging
import Metrics
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Wallet

/// Ensures that each request of a connection arrives in time and as valid HTTP.
///
/// A late or malformed request is refused if a response can still be sent. Its connection is closed, because the bytes
/// that follow cannot be assigned to a request. So a client cannot keep a connection busy by sending single bytes.
///
/// A client that sends many requests without waiting for a response, or does not read its responses, is disconnected,
/// because the requests and responses are kept in memory.
///
/// The deadline runs only while a started request is incomplete, and until a connection's first byte. The idle timeout
/// covers the silence between requests.
///
/// The route decides how much of a body it reads. The rest of a body that is too large is discarded until the deadline,
/// because clients that are still sending rarely read a response from a closed connection.
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

    /// The maximum time for a refused request's route to respond, and for the client to read the response.
    private static let patience: TimeAmount = .seconds(60)

    /// The maximum time for a client to close its side of the connection after the last response was sent.
    private static let lingerTime: TimeAmount = .seconds(10)

    /// The maximum number of requests of a connection without a complete response.
    private static let maximumUnanswered = 16

    /// The number of framing bytes allowed for each byte of a body; the smallest chunks need five.
    private static let framingFactor = 16

    private let limits: HTTPLimits
    private let refusals: RefusalMetrics
    private let connections: ConnectionMetrics
    private let logger: Logger
    private var isSilent = true
    /// The number of bytes received for the current body beyond its content, minus the allowed framing.
    private var framing = 0
    private var reading = Reading.nothing
    private var hasReadParts = false
    private var isInputClosed = false
    /// The number of received requests without a complete response.
    private var unanswered = 0
    private var isRefused = false
    private var isOutputClosed = false
    private var deadline: Scheduled<Void>?
    /// The deadline for a client that does not read, while too much of its responses is unsent.
    private var unread: Scheduled<Void>?

    init(limits: HTTPLimits, refusals: RefusalMetrics, connections: ConnectionMetrics, logger: Logger) {
        self.limits = limits
        self.refusals = refusals
        self.connections = connections
        self.logger = logger
    }

    /// Inserts the handlers that inspect requests before they are decoded.
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

    /// Counts bytes that are not decoded yet.
    func bytesCame(_ count: Int) {
        if self.reading == .body { self.framing += count }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isRefused else { return }
        self.hasReadParts = true
        switch self.unwrapInboundIn(data) {
        case .head where self.unanswered == Self.maximumUnanswered:
            self.isRefused = true
            self.logger.info("a connection with too many unanswered requests was closed")
            return context.close(promise: nil)
        case .head:
            self.stopClock()
            self.reading = .body
            self.framing = 0
            self.unanswered += 1
        case .body(let bytes):
            // The bytes that arrived together with the head were not counted, so the difference is limited to 0.
            self.framing -= min(self.framing, bytes.readableBytes * (1 + Self.framingFactor))
        case .end:
            self.stopClock()
            self.reading = .nothing
        }
        context.fireChannelRead(data)
    }

    /// Starts the deadline only if a request is incomplete after a read; most requests arrive in one read.
    func channelReadComplete(context: ChannelHandlerContext) {
        if self.isSilent {
            self.isSilent = false
            if !self.isRefused { self.stopClock() }
        }
        if self.reading == .body, self.framing > self.limits.headerBytes {
            self.refuse(.malformed("The chunk framing is much larger than the body's content."), context)
        }
        if !self.isRefused, !self.isInputClosed, self.deadline == nil {
            switch self.reading {
            case .nothing where !self.hasReadParts:
                // Bytes arrived but no complete part: a head has begun.
                self.reading = .head
                self.startClock(self.limits.headTimeout, context)
            case .body: self.startClock(self.limits.bodyTimeout, context)
            case .nothing, .head: break
            }
        }
        self.hasReadParts = false
        context.fireChannelReadComplete()
        // The route no longer asks for the rest of a refused request, which is discarded here.
        if self.isRefused { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event {
            // The missing part cannot arrive after the input is closed, so no deadline is needed.
            self.isInputClosed = true
            if !self.isRefused { self.stopClock() }
            if self.isOutputClosed { context.close(promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // After a refusal, all further errors belong to the refused request.
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
            self.sendLast(data, promise, context)
        default: context.write(data, promise: promise)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        self.unread?.cancel()
        self.unread = nil
        if !context.channel.isWritable {
            self.unread = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(self.limits.unreadTimeout)) {
                self.logger.info("a connection was closed, because the client does not read the response")
                context.close(promise: nil)
            }
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.stopClock()
        self.unread?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.stopClock()
        self.unread?.cancel()
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
        self.close(after: Self.patience, context)
        self.logger.info("a request was refused before it was complete", metadata: ["problem": "\(problem.slug)"])
        if self.unanswered > 0 {
            // The route that waits for the body receives this error and responds with it.
            context.fireErrorCaught(problem)
        } else if self.reading == .body {
            // The response was sent already, before the rest of the body arrived.
            self.refusals.note(problem.slug)
            self.closeOutput(context)
        } else {
            self.refusals.note(problem.slug)
            self.answer(problem, context)
        }
        context.read()
    }

    /// Sends the end of the connection's last response.
    private func sendLast(_ end: NIOAny, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        let sent = promise ?? context.eventLoop.makePromise()
        context.writeAndFlush(end, promise: sent)
        sent.futureResult.assumeIsolated().whenComplete { _ in self.closeOutput(context) }
    }

    /// Closes the sending side of the connection; the client closes the other one after it has read the response.
    ///
    /// If a connection is closed while bytes of the client are unread, the client's system may discard the response.
    private func closeOutput(_ context: ChannelHandlerContext) {
        self.isOutputClosed = true
        context.close(mode: self.isInputClosed ? .all : .output, promise: nil)
        self.close(after: Self.lingerTime, context)
    }

    private func close(after delay: TimeAmount, _ context: ChannelHandlerContext) {
        self.stopClock()
        self.deadline = context.eventLoop.assumeIsolated().scheduleTask(in: delay) { context.close(promise: nil) }
    }

    private func answer(_ problem: Problem, _ context: ChannelHandlerContext) {
        guard let (head, body) = try? problem.connectionAnswer() else { return context.close(promise: nil) }
        context.write(self.wrapOutboundOut(.head(head)), promise: nil)
        context.write(self.wrapOutboundOut(.body(body)), promise: nil)
        self.sendLast(self.wrapOutboundOut(.end(nil)), nil, context)
    }

    /// Returns the problem for a decoder error; nil for an error of the connection.
    private static func problem(_ error: any Error) -> Problem? {
        if let problem = error as? Problem { return problem }
        if let error = error as? HTTPParserError {
            return error == .headerOverflow ? .headersTooLarge : .malformed("The request is not valid HTTP/1.1.")
        }
        return error is HTTP1TypeConversionError ? .malformed("The request line cannot be understood.") : nil
    }
}

extension Problem {
    /// Returns the response to bytes that never became a request; the connection closes after it.
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

/// Refuses requests with an ambiguous host or length, before their fields are decoded.
///
/// A proxy must not route by one `Host` field while the service reads another, or see a different end of the body. The
/// handler fires the refusal as an error, which ``RequestGuard`` answers.
private final class RequestFormGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = self.unwrapInboundIn(data), let problem = Self.problem(of: head) {
            return context.fireErrorCaught(problem)
        }
        context.fireChannelRead(data)
    }

    private static func problem(of head: HTTPRequestHead) -> Problem? {
        // The decoder accepts only versions 1.x.
        let isOldest = head.version.minor == 0
        let hosts = head.headers["host"].count
        guard hosts == 1 || (hosts == 0 && isOldest) else {
            return .malformed("The request must have one Host field.")
        }
        guard head.headers.contains(name: "transfer-encoding") else { return nil }
        guard !isOldest, !head.headers.contains(name: "content-length") else {
            return .malformed("The length of the body is ambiguous.")
        }
        let codings = head.headers[canonicalForm: "transfer-encoding"].map { $0.lowercased() }
        guard codings.last == "chunked", codings.count(where: { $0 == "chunked" }) == 1 else {
            return .malformed("The end of the body is ambiguous.")
        }
        return codings.count == 1 ? nil : .transferCodingUnsupported
    }
}

/// Reports the number of raw bytes to a ``RequestGuard``, because the decoded parts do not include the framing.
private final class WireMeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let requests: RequestGuard

    init(for requests: RequestGuard) {
        self.requests = requests
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.requests.bytesCame(self.unwrapInboundIn(data).readableBytes)
        context.fireChannelRead(data)
    }
}
