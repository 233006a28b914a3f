import HTTPTypes
import NIOCore
import NIOHTTP1

/// Refuses requests with an ambiguous host or length, before their fields are decoded.
///
/// A proxy must not route by one `Host` field while the service reads another, or see a different end of the body. The
/// handler fires the refusal as an error, which ``RequestGuard`` answers.
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
