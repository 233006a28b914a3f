import Foundation
public import Hummingbird
public import Logging
import Mustache
import NIOCore
public import ServiceLifecycle
import Synchronization

/// App stores on loopback, for development and tests: real protocols, simulated purchases.
///
/// The stores answer programs on this machine, but refuse web pages of other servers (see ``LocalRequests``).
///
/// Serves the App Store's verification endpoint as `POST /verifyReceipt` (production) and `POST /sandbox/verifyReceipt`
/// (sandbox) and the App Store Server API under `/inApps` (production) and `/sandbox-api/inApps` (sandbox). If
/// configured, RevenueCat serves `GET /v1/subscribers/{app_user_id}`, and Google Play serves `POST /token`, `GET
/// /oauth2/v3/certs` and the purchases under `/androidpublisher/v3/applications/{package}`. Google Play purchases that
/// are not acknowledged are refunded when the clock advances past three days.
///
/// The controls under `/sandbox` buy, renew and refund; `GET /sandbox` lists them, and `deploy/sandbox.md` describes
/// them. Each control posts the notification that the real store would post.
public struct SandboxStores: Service {
    let configuration: SandboxStoresConfiguration
    let logger: Logger
    let ledger: SandboxLedger
    let faults = FaultQueue()
    let calls = CallCounter()
    let poster: NotificationPoster
    let revenueCat: RevenueCatServer?
    let play: PlayServer?
    let authority: AppleAuthority
    let writer: AppStoreWriter
    let serverAPIToken: ServerAPIToken?
    let page: MustacheTemplate
    private let port = BoundPort()

    /// Creates the stores and loads their saved state.
    /// - Parameters:
    ///   - configuration: The products, the addresses and the state folder.
    ///   - logger: Logs what the controls did; never a receipt.
    /// - Throws: ``SandboxStoresError`` with `unreadableState` if the state in the folder cannot be read, which is then
    ///   left unchanged; with `unreadableKey` if the service account's key is not an RSA key.
    public init(configuration: SandboxStoresConfiguration, logger: Logger) throws {
        self.configuration = configuration
        self.logger = logger
        self.ledger = try SandboxLedger(configuration: configuration)
        self.page = try MustacheTemplate(string: Self.pageText)
        self.revenueCat = configuration.revenueCat.map(RevenueCatServer.init)
        self.play = try configuration.googlePlay.map { settings in
            try PlayServer(settings: settings, directory: configuration.directory)
        }
        let faces = [self.revenueCat?.writer(of: self.ledger), self.play?.writer(of: self.ledger)]
        self.authority = try AppleAuthority.open(directory: configuration.directory)
        self.writer = AppStoreWriter(
            signer: try AppleSigner(authority: self.authority),
            appAppleID: configuration.appAppleID
        )
        self.serverAPIToken = try configuration.serverAPI.map {
            try ServerAPIToken(access: $0, bundleID: configuration.bundleID)
        }
        self.poster = NotificationPoster(
            receivers: configuration.notifications,
            writers: [self.writer.notifications] + faces.compactMap { $0 },
            faults: self.faults,
            logger: logger
        )
    }

    /// Serves until it is shut down gracefully or cancelled; in both cases running requests have five seconds to end.
    ///
    /// Stopping the server while connections arrive would crash the process.
    /// - Throws: The server's errors, such as a port that is in use.
    public func run() async throws {
        defer { self.port.close() }
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: self.buildApplication(), serviceName: "\(Self.self)")],
            logger: self.logger
        )
        // A client that never sends the rest of its request would otherwise keep the process from exiting.
        configuration.maximumGracefulShutdownDuration = .seconds(5)
        let group = ServiceGroup(configuration: configuration)
        let serving = Task { try await group.run() }
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await serving.value
        } onCancelOrGracefulShutdown: {
            Task { await group.triggerGracefulShutdown() }
        }
    }

    /// Builds the server; tests can use it without a port.
    /// - Returns: An application that has not been started.
    public func buildApplication() -> some ApplicationProtocol {
        let router = Router(context: SandboxContext.self)
        router.add(middleware: SandboxErrorMiddleware(isControl: Self.isControl))
        router.add(
            middleware: LocalRequests<SandboxContext>(port: { self.port.current }, pages: .own) { request in
                !Self.isControl(request.uri.path)
            }
        )
        self.addOverviewRoutes(to: router)
        self.addVerificationRoutes(to: router)
        self.addPurchaseRoutes(to: router)
        self.addTransactionRoutes(to: router)
        self.addSubscriptionRoutes(to: router)
        self.addNotificationRoutes(to: router)
        self.addAppStoreControls(to: router)
        self.addConsumptionControl(to: router)
        self.addRefundReviewControl(to: router)
        self.addServerAPIRoutes(to: router)
        self.addClockRoutes(to: router)
        self.addFaultRoutes(to: router)
        if let revenueCat { self.addSubscriberRoutes(of: revenueCat, to: router) }
        if let play {
            self.addPlayTokenRoutes(of: play, to: router)
            self.addPublisherRoutes(of: play, to: router)
        }
        return Application(
            router: router,
            configuration: ApplicationConfiguration(
                address: .hostname(self.configuration.host, port: self.configuration.port),
                serverName: "SandboxStores",
                // With address reuse, the system may assign the same free port to two sockets, of which only one may
                // then listen.
                reuseAddress: self.configuration.port != 0
            ),
            onServerRunning: { channel in self.port.open(channel.localAddress?.port) },
            logger: self.logger
        )
    }

    /// Returns `true` for the path of a control, which requires JSON; the store endpoints accept the same bodies as the
    /// real stores.
    private static func isControl(_ path: String) -> Bool {
        let segments = path.split(separator: "/")
        return segments.first == "sandbox" && segments != ["sandbox", "verifyReceipt"]
    }

    /// Returns the port on which the stores listen; waits until they do.
    /// - Returns: The port.
    /// - Throws: ``SandboxStoresError`` with `notRunning` if the stores stopped before they listened.
    public func boundPort() async throws -> Int {
        guard let port = await self.port.value() else { throw SandboxStoresError(.notRunning) }
        return port
    }

    /// Returns the number of seconds by which the stores' clock is ahead of the machine's clock; it is kept across
    /// restarts.
    /// - Returns: The offset.
    public func clockOffset() async -> Int {
        await self.ledger.offsetSeconds
    }

    /// Changes the receivers of notifications, for receivers whose URLs are known only after the start.
    /// - Parameter receivers: The new receivers.
    public func post(to receivers: NotificationReceivers) async {
        await self.poster.setReceivers(receivers)
    }
}

/// A request's context; it contains the connection, so that a fault can reset it.
struct SandboxContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        self.coreContext = CoreRequestContextStorage(source: source)
        self.channel = source.channel
    }

    var requestDecoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    var responseEncoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return encoder
    }
}

extension SandboxContext {
    /// The id of the transaction or subscription in the path.
    var id: String {
        get throws { try self.parameters.require("id") }
    }

    /// Returns a path segment without its percent-encoding, which the router does not remove.
    func segment(_ name: String) throws -> String {
        let segment = try self.parameters.require(name)
        guard let decoded = segment.removingPercentEncoding else { throw HTTPError(.badRequest) }
        return decoded
    }
}

/// The port of a server that may not be listening yet.
final class BoundPort: Sendable {
    private struct State {
        var port: Int?
        var isClosed = false
        var waiters: [CheckedContinuation<Int?, Never>] = []
    }

    private let state = Mutex(State())

    func open(_ port: Int?) {
        self.settle { $0.port = port }
    }

    /// Marks the server as stopped; tasks that wait for the port get nil.
    func close() {
        self.settle { state in
            state.port = nil
            state.isClosed = true
        }
    }

    /// The port; nil while the server is not listening.
    var current: Int? { self.state.withLock { $0.port } }

    func value() async -> Int? {
        await withCheckedContinuation { waiter in
            let port: Int?? = self.state.withLock { state in
                if let port = state.port { return port }
                if state.isClosed { return .some(nil) }
                state.waiters.append(waiter)
                return nil
            }
            if let port { waiter.resume(returning: port) }
        }
    }

    private func settle(_ change: (inout State) -> Void) {
        let (waiters, port) = self.state.withLock { state in
            change(&state)
            defer { state.waiters = [] }
            return (state.waiters, state.port)
        }
        for waiter in waiters {
            waiter.resume(returning: port)
        }
    }
}

/// An error of the sandbox stores.
public struct SandboxStoresError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of error.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Wrapped: String {
            case unreadableState
            case unreadableKey
            case notRunning
        }

        private let wrapped: Wrapped

        /// The name of the code.
        public var description: String { self.wrapped.rawValue }

        /// The state file exists, but cannot be read as the stores' state.
        public static let unreadableState = Code(wrapped: .unreadableState)
        /// A public key in the configuration does not have the required type.
        public static let unreadableKey = Code(wrapped: .unreadableKey)
        /// The stores stopped before they listened.
        public static let notRunning = Code(wrapped: .notRunning)
    }

    /// The kind of error.
    public let code: Code

    init(_ code: Code) {
        self.code = code
    }

    /// The name of the code.
    public var description: String { "SandboxStoresError.\(self.code)" }
}
