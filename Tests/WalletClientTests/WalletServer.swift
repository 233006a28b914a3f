import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Synchronization
import Testing
import WalletClient

/// A server on loopback that returns prepared responses and records requests.
final class WalletServer: Sendable {
    struct Seen: Sendable {
        let method: HTTPRequest.Method
        let path: String
        let headers: HTTPFields
        let body: String
    }

    struct Answer: Sendable {
        var status: HTTPResponse.Status = .ok
        var headers: HTTPFields = [:]
        var body: String
        /// A Boolean value that indicates whether the connection breaks in the middle of the body.
        var isBroken = false
    }

    private struct Broken: Error {}

    private struct State {
        var answers: [Answer]
        var seen: [Seen] = []
    }

    private let state: Mutex<State>

    private init(_ answers: [Answer]) {
        self.state = Mutex(State(answers: answers))
    }

    /// The requests so far.
    var seen: [Seen] { self.state.withLock { $0.seen } }

    /// Returns the responses one after the other, and then always the last one.
    static func run(
        _ answers: [Answer],
        environment: WalletEnvironment = .production,
        longestDelay: Duration = .seconds(1),
        token: @escaping WalletClient.TokenProvider = { "token-of-ann" },
        check: @escaping @Sendable (WalletClient, WalletServer) async throws -> Void
    ) async throws {
        let server = WalletServer(answers)
        let application = Application(
            responder: CallbackResponder { (request: Request, _: BasicRequestContext) in
                let body = try await request.body.collect(upTo: 1_000_000)
                return server.respond(to: request, body: String(buffer: body))
            },
            logger: Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
        )
        try await application.test(.live) { client in
            let port = try #require(client.port)
            let url = try #require(URL(string: "http://localhost:\(port)"))
            let policy = WalletRetryPolicy(firstDelay: .milliseconds(5), longestDelay: longestDelay)
            let wallet = WalletClient(baseURL: url, environment: environment, retryPolicy: policy, token: token)
            try await check(wallet, server)
        }
    }

    private func respond(to request: Request, body: String) -> Response {
        let answer = self.state.withLock { state in
            state.seen.append(
                Seen(method: request.method, path: request.head.path ?? "", headers: request.headers, body: body)
            )
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
        }
        guard answer.isBroken else {
            let body = ResponseBody(byteBuffer: ByteBuffer(string: answer.body))
            return Response(status: answer.status, headers: answer.headers, body: body)
        }
        return Response(
            status: answer.status,
            headers: answer.headers,
            body: ResponseBody(contentLength: answer.body.utf8.count + 100) { writer in
                try await writer.write(ByteBuffer(string: answer.body))
                throw Broken()
            }
        )
    }
}

let bookingAnswer = #"""
    {"booking":{"booking_id":"0193fe00-0000-7000-8000-000000000001","class_id":"pottery","class_title":"Pottery",
    "starts_at":"2026-11-23T18:00:00Z","status":"booked","seats":1,"unit":"credit","amount":20,
    "slices":[{"lot_id":"0193fe00-0000-7000-8000-000000000002","amount":20}],"confirmation_code":"K7Q2",
    "cancellation":{"free_until":"2026-11-22T18:00:00Z","free_minutes_before":1440},"created_at":"2026-11-21T01:31:00Z",
    "cancelled_at":null,"late_cancel":false,"returned":null},"balance":{"credits":5,"visits":0,"version":2},"new":1}
    """#
