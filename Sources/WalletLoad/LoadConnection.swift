import Foundation
import NIOCore
import NIOTLS

/// A keep-alive connection of the load: sends one request at a time and waits for its response.
final class LoadConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The request that waits for a response.
    private(set) var step: LoadStep?

    private let driver: LoadDriver
    private let isSecure: Bool
    /// The promise that succeeds once requests can be sent; with TLS, after the handshake.
    private let opening: EventLoopPromise<Void>
    private var isOpen = false
    private var context: ChannelHandlerContext?
    private var received = ByteBuffer()
    private var toSend = ByteBuffer()
    private var lossReason = "connection lost"

    init(driver: LoadDriver, isSecure: Bool, opening: EventLoopPromise<Void>) {
        self.driver = driver
        self.isSecure = isSecure
        self.opening = opening
    }

    func send(_ step: LoadStep, _ requests: LoadRequests) {
        guard let context = self.context else { return }
        self.step = step
        requests.write(step, into: &self.toSend)
        context.writeAndFlush(self.wrapOutboundOut(self.toSend), promise: nil)
    }

    func close(because reason: String) {
        self.lossReason = reason
        self.context?.close(promise: nil)
    }

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        if !self.isSecure { self.opened() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSUserEvent { self.opened() }
        context.fireUserInboundEventTriggered(event)
    }

    private func opened() {
        self.isOpen = true
        self.opening.succeed()
        self.driver.opened(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = self.unwrapInboundIn(data)
        if self.received.readableBytes == 0 { self.received = bytes } else { self.received.writeBuffer(&bytes) }
        do {
            guard let answer = try LoadAnswer.take(from: &self.received) else { return }
            guard let step = self.step, self.received.readableBytes == 0 else { throw LoadAnswer.Unreadable() }
            self.step = nil
            if answer.closes { context.close(promise: nil) }
            self.driver.answered(step, answer, on: self)
        } catch {
            self.close(because: "unreadable response")
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        let step = self.step
        self.step = nil
        self.opening.fail(ChannelError.eof)
        if self.isOpen { self.driver.closed(self, awaiting: step, because: self.lossReason) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.opening.fail(error)
        context.close(promise: nil)
    }
}

/// Writes requests from prepared parts.
struct LoadRequests: Sendable {
    private let tokens: [String]
    private let host: String
    private let keyPrefix: String
    /// The part of the request after the key, for each class.
    private let ends: [String]

    init(_ plan: LoadPlan, _ material: LoadFixtures) {
        self.tokens = material.tokens
        self.host = " HTTP/1.1\r\nHost: \(plan.target.authority)\r\nAuthorization: Bearer "
        self.keyPrefix = "\r\nContent-Type: application/json\r\nIdempotency-Key: \(plan.keyPrefix)"
        self.ends = material.classes.map { id in
            let body = #"{"class_id":"\#(id)"}"#
            return "\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
    }

    /// Writes the request of a step.
    func write(_ step: LoadStep, into buffer: inout ByteBuffer) {
        buffer.clear()
        switch step.kind {
        case .booking:
            buffer.writeStaticString("POST /bookings")
            buffer.writeString(self.host)
            buffer.writeString(self.tokens[step.pick.user])
            buffer.writeString(self.keyPrefix)
            buffer.writeString(String(step.number))
            buffer.writeString(self.ends[step.pick.classIndex])
        case .cancellation(let booking):
            buffer.writeString("POST /bookings/\(booking.uuidString.lowercased())/cancel")
            buffer.writeString(self.host)
            buffer.writeString(self.tokens[step.pick.user])
            buffer.writeStaticString("\r\nContent-Length: 0\r\n\r\n")
        case .read(let read):
            buffer.writeString("GET \(read.path)")
            buffer.writeString(self.host)
            buffer.writeString(self.tokens[step.pick.user])
            buffer.writeStaticString("\r\n\r\n")
        }
    }
}

/// A request of the load.
struct LoadStep: Sendable {
    enum Kind: Sendable {
        case booking
        case cancellation(of: UUID)
        case read(LoadRead)
    }

    let kind: Kind
    /// The booking's number within the run; for a read, the number of bookings sent before it.
    let number: Int
    let pick: LoadPicker.Pick
    /// The scheduled time; the latency includes the wait for an idle connection.
    let intended: NIODeadline
    /// The time at which the request was sent.
    let sent: NIODeadline
}

/// The routes that an app reads.
enum LoadRead: String, Sendable, CaseIterable {
    case balance
    case classes
    case bookings

    /// Selects a route: half of the reads are of the balance, which an app shows on every screen.
    static func picked(by fraction: Double) -> LoadRead {
        fraction < 0.5 ? .balance : fraction < 0.75 ? .classes : .bookings
    }

    /// The path with its query.
    var path: String {
        switch self {
        case .balance: "/balance"
        case .classes: "/classes?limit=20"
        case .bookings: "/bookings?limit=20"
        }
    }
}
