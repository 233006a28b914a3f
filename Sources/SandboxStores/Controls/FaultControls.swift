import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension SandboxStores {
    private struct NewFault: Decodable {
        let status: Int?
        let delayMs: Int?
        let count: Int?
        let body: String?
        let kind: String?
        let isRetryable: Bool?
        let environment: String?
        let target: String?
    }

    func addFaultRoutes(to router: Router<SandboxContext>) {
        router.post("sandbox/faults") { request, context in
            let new = try await request.control(NewFault.self, context)
            let count = new.count ?? 1
            guard (1...1_000_000).contains(count) else {
                throw ControlRefusal.member("count", "must be from 1 to 1000000", received: "\(count)")
            }
            let target = try Self.target(of: new)
            self.faults.add(
                try Self.fault(from: new, target),
                target: target,
                side: try Self.side(of: new),
                count: count
            )
            return ["pending": self.faults.remaining]
        }
        router.delete("sandbox/faults") { _, _ in
            self.faults.clear()
            return HTTPResponse.Status.noContent
        }
    }

    private static func target(of new: NewFault) throws -> FaultTarget {
        guard let target = FaultTarget(rawValue: new.target ?? FaultTarget.receipt.rawValue) else {
            throw ControlRefusal.member(
                "target",
                "must be receipt, server_api, revenuecat, play or notifications",
                received: new.target ?? ""
            )
        }
        return target
    }

    private static func fault(from new: NewFault, _ target: FaultTarget) throws -> Fault {
        let delay = new.delayMs ?? 0
        guard (0...600_000).contains(delay) else {
            throw ControlRefusal.member("delay_ms", "must be from 0 to 600000", received: "\(delay)")
        }
        let kind = try self.kind(from: new)
        if case .store = kind, target != .receipt {
            throw ControlRefusal.invalid("Statuses 21000 to 21199 are allowed only for the target receipt.")
        }
        return Fault(kind: kind, delay: .milliseconds(delay))
    }

    private static func kind(from new: NewFault) throws -> Fault.Kind {
        switch (new.kind, new.status) {
        case ("html", nil): return .html
        case ("truncated", nil): return .truncated
        case ("hang", nil): return .hang
        case ("reset", nil): return .reset
        case (nil, nil): return .slow
        case (nil, .some(let status)) where (200...599).contains(status):
            return .http(status, body: new.body ?? "")
        case (nil, .some(let status)) where (21_000...21_199).contains(status):
            return .store(status, isRetryable: new.isRetryable)
        default:
            throw ControlRefusal.invalid(
                "Send kind (html, truncated, hang, reset), or status (200 to 599, 21000 to 21199), or delay_ms alone."
            )
        }
    }

    private static func side(of new: NewFault) throws -> SandboxTransaction.Environment? {
        guard let name = new.environment else { return nil }
        guard let side = SandboxTransaction.Environment(rawValue: name) else {
            throw ControlRefusal.member("environment", "must be production or sandbox", received: name)
        }
        return side
    }
}

/// The calls that a fault affects.
enum FaultTarget: String, Sendable {
    case receipt
    case serverAPI = "server_api"
    case revenueCat = "revenuecat"
    case googlePlay = "play"
    case notifications
}

/// The faults for the next calls, in the order in which they were requested.
final class FaultQueue: Sendable {
    private struct Entry {
        let fault: Fault
        let target: FaultTarget
        let side: SandboxTransaction.Environment?
        var remaining: Int
    }

    private let entries = Mutex<[Entry]>([])

    /// The number of calls that will still fail.
    var remaining: Int { self.entries.withLock { $0.reduce(0) { $0 + $1.remaining } } }

    /// Makes the next calls fail.
    /// - Parameters:
    ///   - fault: The failure.
    ///   - target: The calls that fail.
    ///   - side: The environment whose calls fail, nil for both.
    ///   - count: The number of calls.
    func add(_ fault: Fault, target: FaultTarget, side: SandboxTransaction.Environment?, count: Int) {
        self.entries.withLock { $0.append(Entry(fault: fault, target: target, side: side, remaining: count)) }
    }

    func clear() {
        self.entries.withLock { $0.removeAll() }
    }

    /// Takes the fault for the next call from the queue.
    /// - Parameters:
    ///   - target: The called endpoint.
    ///   - side: The called environment, nil if the endpoint has none.
    /// - Returns: The fault, nil if the call must succeed.
    func next(for target: FaultTarget, side: SandboxTransaction.Environment? = nil) -> Fault? {
        self.entries.withLock { entries in
            let struck = entries.firstIndex { entry in
                entry.target == target && (entry.side == nil || side == nil || entry.side == side)
            }
            guard let index = struck else { return nil }
            entries[index].remaining -= 1
            let fault = entries[index].fault
            if entries[index].remaining <= 0 { entries.remove(at: index) }
            return fault
        }
    }
}

/// Applies pending faults to the calls of one store endpoint.
struct FaultMiddleware: RouterMiddleware {
    let faults: FaultQueue
    let target: FaultTarget
    var side: SandboxTransaction.Environment?

    func handle(
        _ request: Request,
        context: SandboxContext,
        next: (Request, SandboxContext) async throws -> Response
    ) async throws -> Response {
        if let fault = self.faults.next(for: self.target, side: self.side),
            let response = try await fault.apply(in: context)
        {
            return response
        }
        return try await next(request, context)
    }
}

/// A simulated failure of a store's endpoint.
struct Fault: Sendable {
    /// The kind of failure.
    enum Kind: Sendable {
        /// A late but correct answer.
        case slow
        /// An HTTP status with a custom body.
        case http(Int, body: String)
        /// A status of the verification endpoint.
        case store(Int, isRetryable: Bool?)
        /// A web page instead of JSON.
        case html
        /// Half of a body, then a closed connection.
        case truncated
        /// No answer while the connection stays open.
        case hang
        /// A connection reset.
        case reset
    }

    private struct Broken: Error {}

    let kind: Kind
    let delay: Duration

    /// Applies the fault to a request.
    /// - Parameter context: The request's context.
    /// - Returns: The faulty answer, or nil to answer normally.
    /// - Throws: `CancellationError` when the stores shut down during the fault.
    func apply(in context: SandboxContext) async throws -> Response? {
        if self.delay > .zero {
            try await Self.wait(self.delay)
        }
        switch self.kind {
        case .slow: return nil
        case .http(let status, let body): return Self.answer(.init(code: status), body, type: "text/plain")
        case .store(let status, let isRetryable):
            return .apple(SandboxLedger.status(status, isRetryable: isRetryable))
        case .html: return Self.answer(.ok, "<html><body><h1>Service Unavailable</h1></body></html>", type: "text/html")
        case .truncated: return Self.truncated
        case .hang:
            try await Self.wait(.seconds(3_600))
            return Self.answer(.serviceUnavailable, "", type: "text/plain")
        case .reset:
            try await Self.reset(context.channel)
            return Self.answer(.serviceUnavailable, "", type: "text/plain")
        }
    }

    // A graceful shutdown must not wait for a fault to end.
    private static func wait(_ duration: Duration) async throws {
        try await cancelWhenGracefulShutdown { try await Task.sleep(for: duration) }
    }

    private static func answer(_ status: HTTPResponse.Status, _ body: String, type: String) -> Response {
        Response(
            status: status,
            headers: [.contentType: type],
            body: ResponseBody(byteBuffer: ByteBuffer(string: body))
        )
    }

    private static var truncated: Response {
        let half = #"{"status":0,"environment":"Production","receipt":{"receipt_type":"Prod"#
        return Response(
            status: .ok,
            headers: [.contentType: "application/json"],
            body: ResponseBody(contentLength: half.utf8.count * 2) { writer in
                try await writer.write(ByteBuffer(string: half))
                throw Broken()
            }
        )
    }

    /// A linger time of zero makes the system send RST instead of FIN.
    private static func reset(_ channel: any Channel) async throws {
        if let provider = channel as? any SocketOptionProvider {
            try await provider.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        try await channel.close().get()
    }
}
