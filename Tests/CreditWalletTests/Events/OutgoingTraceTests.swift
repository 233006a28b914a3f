import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Telemetry
import Testing
import Tracing

@testable import CreditWallet

/// Tests that outgoing calls carry the trace of the request that causes them.
@Suite struct OutgoingTraceTests {
    @Test func `a call continues the current trace, or begins one`() async throws {
        try await EventReceiver.run { receiver in
            try await HTTPClient.withHTTPClient(configuration: .outgoing) { client in
                let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
                var context = ServiceContext.topLevel
                context.trace = TraceContext(traceparent: parent, tracestate: "congo=t61rcWkgMzE")
                var post = HTTPClientRequest(url: receiver.url)
                post.method = .POST
                let call = post
                _ = try await ServiceContext.withValue(context) {
                    try await client.execute(call, timeout: .seconds(10))
                }
                _ = try await client.execute(call, timeout: .seconds(10))
            }

            let sent = receiver.messages.map { $0.header("traceparent").flatMap { TraceContext(traceparent: $0) } }
            #expect(sent.first??.traceID == "0af7651916cd43dd8448eb211c80319c")
            #expect(sent.first??.spanID != "b7ad6b7169203331")
            #expect(sent.first??.isSampled == true)
            #expect(receiver.messages.first?.header("tracestate") == "congo=t61rcWkgMzE")
            let other = try #require(sent.last ?? nil)
            #expect(other.traceID != "0af7651916cd43dd8448eb211c80319c")
        }
    }
}
