import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Postgres
import Synchronization
import TestSupport
import Wallet

@testable import CreditWallet

/// An operator's endpoint on loopback that records requests and answers as a test configures it.
final class EventReceiver: Sendable {
    /// One received request.
    struct Message: Sendable {
        let path: String
        let headers: HTTPFields
        let body: String

        func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { self.headers[$0] } }

        /// The members of the JSON body.
        var json: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(self.body.utf8)) as? [String: Any]) ?? [:]
        }

        var data: [String: Any] { self.json["data"] as? [String: Any] ?? [:] }
        var type: String { self.json["type"] as? String ?? "" }
    }

    /// The endpoint's response to one request.
    enum Answer: Sendable {
        case status(Int)
        case redirect(Int)
        /// No response for this long.
        case hang(Duration)
        /// No response until ``EventReceiver/release()``.
        case held
        /// A successful status with a body that never ends.
        case endless
    }

    private struct State {
        var messages: [Message] = []
        var answers: [Answer] = []
        var delay: Duration = .zero
        var isReleased = false
        var taking = 0
        var mostAtOnce = 0
    }

    private let state = Mutex(State())
    private let port = Mutex(0)

    var url: String { "http://127.0.0.1:\(self.port.withLock { $0 })/hook" }
    var messages: [Message] { self.state.withLock { $0.messages } }
    /// The largest number of messages that were received and not yet answered.
    var mostAtOnce: Int { self.state.withLock { $0.mostAtOnce } }

    /// Sets the responses to the next requests; later requests get 204.
    func answer(_ answers: Answer...) {
        self.state.withLock { $0.answers = answers }
    }

    /// Delays each response from now on.
    func delay(_ delay: Duration) {
        self.state.withLock { $0.delay = delay }
    }

    /// Answers the held requests, and later ones at once.
    func release() {
        self.state.withLock { $0.isReleased = true }
    }

    /// Runs an endpoint while the body runs.
    static func run(_ body: @Sendable (EventReceiver) async throws -> Void) async throws {
        let receiver = EventReceiver()
        let router = Router()
        router.post("**") { request, _ in try await receiver.take(request) }
        try await LocalServer.run(router) { port in
            receiver.port.withLock { $0 = port }
            try await body(receiver)
        }
    }

    private func take(_ request: Request) async throws -> Response {
        let body = String(buffer: try await request.body.collect(upTo: 1_048_576))
        let message = Message(path: request.uri.path, headers: request.headers, body: body)
        let (answer, delay) = self.state.withLock { state in
            state.messages.append(message)
            state.taking += 1
            state.mostAtOnce = max(state.mostAtOnce, state.taking)
            return (state.answers.isEmpty ? Answer.status(204) : state.answers.removeFirst(), state.delay)
        }
        defer { self.state.withLock { $0.taking -= 1 } }
        if delay > .zero { try await Task.sleep(for: delay) }
        switch answer {
        case .status(let code): return Response(status: .init(code: code))
        case .redirect(let code): return Response(status: .init(code: code), headers: [.location: "/elsewhere"])
        case .hang(let duration):
            try await Task.sleep(for: duration)
            return Response(status: .noContent)
        case .held:
            while !self.state.withLock({ $0.isReleased }) { try await Task.sleep(for: .milliseconds(20)) }
            return Response(status: .noContent)
        case .endless:
            return Response(
                status: .ok,
                body: ResponseBody { writer in
                    for _ in 0..<600 {
                        try await writer.write(ByteBuffer(string: "."))
                        try await Task.sleep(for: .milliseconds(100))
                    }
                    try await writer.finish(nil)
                }
            )
        }
    }
}
