import HTTPTypes
import NIOCore
import NIOHTTP1

/// Refuses requests whose host or length two readers could understand in two ways, before their fields are taken apart.
///
/// What stands before the service must not route by one `Host` while it reads the other, nor end a body where it does
/// not. The refusal goes on as an error, which ``RequestGuard`` answers.
final class RequestFormGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = self.unwrapInboundIn(data), let problem = Self.problem(of: head) {
            return context.fireErrorCaught(problem)
        }
        context.fireChannelRead(data)
    }

    private static func problem(of head: HTTPRequestHead) -> Problem? {
        // The decoder knows no other versions than 1.x.
        let isOldest = head.version.minor == 0
        let hosts = head.headers["host"].count
        guard hosts == 1 || (hosts == 0 && isOldest) else {
            return .malformed("The request must have one Host field.")
        }
        guard head.headers.contains(name: "transfer-encoding") else { return nil }
        guard !isOldest, !head.headers.contains(name: "content-length") else {
            return .malformed("The length of the body is not certain.")
        }
        let codings = head.headers[canonicalForm: "transfer-encoding"].map { $0.lowercased() }
        guard codings.last == "chunked", codings.count(where: { $0 == "chunked" }) == 1 else {
            return .malformed("The end of the body is not certain.")
        }
        return codings.count == 1 ? nil : .transferCodingUnsupported
    }
}

/// Informs a ``RequestGuard`` how many bytes come over the wire, which what is decoded from them does not show.
final class WireMeter: ChannelInboundHandler {
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
