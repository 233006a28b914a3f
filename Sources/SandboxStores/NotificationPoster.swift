import AsyncHTTPClient
import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

extension SandboxStores {
    private struct Switch: Decodable {
        let enabled: Bool
    }

    private struct NotificationList: ResponseEncodable {
        let enabled: Bool
        let notifications: [PostedNotification]
    }

    func addNotificationRoutes(to router: Router<SandboxContext>) {
        router.get("sandbox/notifications") { _, _ in await self.notificationList }
        router.post("sandbox/notifications") { request, context in
            let new = try await request.control(Switch.self, context)
            await self.poster.setEnabled(new.enabled)
            return await self.notificationList
        }
        router.post("sandbox/notifications/:id/redeliver") { _, context in
            try await self.poster.redeliver(context.parameters.require("id"))
        }
    }

    private var notificationList: NotificationList {
        get async { NotificationList(enabled: await self.poster.isEnabled, notifications: await self.poster.posted) }
    }
}

/// Posts notifications of events; the notifications to one receiver are sent in order.
actor NotificationPoster {
    /// Longer than one attempt takes, so that a receiver that is slow once has answered.
    private static let longestWait = Duration.seconds(15)

    private let sender: NotificationSender
    private let logger: Logger
    private var writers: [NotificationWriter] = []
    private var receivers: NotificationReceivers
    private var lanes: [NotificationSource: Task<Void, Never>] = [:]
    /// All notifications since the start, oldest first.
    private(set) var posted: [PostedNotification] = []
    /// A Boolean value that indicates whether notifications are posted; otherwise they are only written and listed.
    private(set) var isEnabled = true

    init(
        receivers: NotificationReceivers,
        writers: [NotificationWriter],
        faults: FaultQueue,
        logger: Logger
    ) {
        self.receivers = receivers
        self.writers = writers
        self.sender = NotificationSender(faults: faults)
        self.logger = logger
    }

    func setEnabled(_ isEnabled: Bool) {
        self.isEnabled = isEnabled
    }

    func setReceivers(_ receivers: NotificationReceivers) {
        self.receivers = receivers
    }

    /// Posts the notifications of the events, in order.
    ///
    /// Returns when all receivers have responded or delivery was given up, at the latest after 15 seconds; returns
    /// immediately if the configuration disables waiting. Remaining deliveries continue in the background.
    func post(_ happenings: [SandboxEvent]) async {
        var tasks: [Task<Void, Never>] = []
        for happening in happenings {
            for writer in self.writers where writer.source.reportsSales(of: happening.transaction.store) {
                guard let url = self.url(of: writer.source) else { continue }
                for draft in self.write(happening, with: writer) {
                    self.posted.append(PostedNotification(draft, from: writer.source, of: happening))
                    guard self.isEnabled else { continue }
                    tasks.append(self.enqueue(draft.id, body: draft.body, to: url, with: writer))
                }
            }
        }
        if self.receivers.wait { await Self.wait(for: tasks) }
    }

    private func url(of source: NotificationSource) -> String? {
        switch source {
        case .appStore: self.receivers.appStoreURL
        case .revenueCat: self.receivers.revenueCatURL
        case .googlePlay: self.receivers.googlePlayURL
        }
    }

    private func write(_ happening: SandboxEvent, with writer: NotificationWriter) -> [NotificationDraft] {
        do {
            return try writer.write(happening)
        } catch {
            self.logger.error("a notification could not be created", metadata: ["error": "\(error)"])
            return []
        }
    }

    private func enqueue(
        _ id: String,
        body: Data,
        to url: String,
        with writer: NotificationWriter
    ) -> Task<Void, Never> {
        let previous = self.lanes[writer.source]
        let sender = self.sender
        let task = Task {
            await previous?.value
            await sender.send(body, to: url, with: writer) { status in await self.note(status, of: id) }
        }
        self.lanes[writer.source] = task
        return task
    }

    private func note(_ status: Int?, of id: String) {
        guard let index = self.posted.firstIndex(where: { $0.id == id }) else { return }
        self.posted[index].answers.append(status)
    }

    private static func wait(for tasks: [Task<Void, Never>]) async {
        guard !tasks.isEmpty else { return }
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let all = Task {
            for task in tasks {
                await task.value
            }
            end.finish()
        }
        let limit = Task {
            try await Task.sleep(for: Self.longestWait)
            end.finish()
        }
        for await _ in ends {}
        limit.cancel()
        all.cancel()
    }

    /// Posts a notification again with the same body.
    /// - Parameter id: The notification.
    /// - Returns: The notification with its new answers.
    /// - Throws: ``ControlRefusal`` for an unknown notification, or one whose receiver is no longer configured.
    func redeliver(_ id: String) async throws -> PostedNotification {
        guard let index = self.posted.firstIndex(where: { $0.id == id }) else {
            throw ControlRefusal.notFound("notification")
        }
        let notification = self.posted[index]
        guard
            let writer = self.writers.first(where: { $0.source.rawValue == notification.source }),
            let url = self.url(of: writer.source)
        else { throw ControlRefusal.conflict("The notification has no receiver.") }
        let task = self.enqueue(id, body: Data(notification.body.utf8), to: url, with: writer)
        await Self.wait(for: [task])
        return self.posted[index]
    }
}

/// Writes the notifications of one source.
struct NotificationWriter: Sendable {
    let source: NotificationSource
    /// Returns the notifications of an event in their order: none, one or several.
    let write: @Sendable (SandboxEvent) throws -> [NotificationDraft]
    /// Returns the headers of one attempt; proofs that contain a time are created for each attempt.
    let headers: @Sendable (_ body: Data) async throws -> HTTPHeaders

    init(
        source: NotificationSource,
        headers: @escaping @Sendable (_ body: Data) async throws -> HTTPHeaders = { _ in [:] },
        write: @escaping @Sendable (SandboxEvent) throws -> [NotificationDraft]
    ) {
        self.source = source
        self.headers = headers
        self.write = write
    }
}

/// The sender of a notification.
enum NotificationSource: String, Codable, Sendable, CaseIterable {
    case appStore = "app_store"
    case revenueCat = "revenuecat"
    case googlePlay = "google_play"

    /// Returns `true` if the source reports the sales of a store.
    func reportsSales(of store: SandboxStore) -> Bool {
        switch self {
        case .appStore: store == .appStore
        case .googlePlay: store == .googlePlay
        case .revenueCat: true
        }
    }
}

/// A notification to post, with the same body in every attempt.
struct NotificationDraft: Sendable {
    /// The id by which the receiver identifies the notification: notificationUUID, event id, messageId.
    let id: String
    /// The type in the list of notifications, such as `DID_RENEW.BILLING_RECOVERY`.
    let type: String
    let body: Data
}

/// A written notification and the receiver's answers.
struct PostedNotification: ResponseEncodable, Sendable {
    let source: String
    let id: String
    let type: String
    /// The last status of the receiver; nil if it never answered.
    var status: Int? { self.answers.compactMap { $0 }.last }
    /// The status of each attempt, nil for no answer.
    var answers: [Int?] = []
    let body: String
    let at: String
    let instant: Date
    let environment: SandboxTransaction.Environment
    /// The id and the original id of the notification's transaction.
    let transactionIDs: Set<String>

    init(_ draft: NotificationDraft, from source: NotificationSource, of happening: SandboxEvent) {
        self.source = source.rawValue
        self.id = draft.id
        self.type = draft.type
        self.body = String(decoding: draft.body, as: UTF8.self)
        self.at = happening.at.formatted(.iso8601)
        self.instant = happening.at
        self.environment = happening.transaction.environment
        self.transactionIDs = [happening.transaction.id, happening.transaction.originalID]
    }

    /// A Boolean value that indicates whether the receiver accepted the notification.
    var wasTaken: Bool { self.answers.contains { (200..<300).contains($0 ?? 0) } }

    private enum CodingKeys: CodingKey {
        case source, id, type, status, attempts, body, at
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(self.source, forKey: .source)
        try values.encode(self.id, forKey: .id)
        try values.encode(self.type, forKey: .type)
        try values.encode(self.status, forKey: .status)
        try values.encode(self.answers.count, forKey: .attempts)
        try values.encode(self.body, forKey: .body)
        try values.encode(self.at, forKey: .at)
    }
}

/// Sends one notification, with retries.
struct NotificationSender: Sendable {
    private static let tries = 5
    private static let firstPause = Duration.milliseconds(100)

    /// The client for notifications, which lives as long as the process and is never shut down.
    ///
    /// It reports a refused connection immediately, whereas the shared client retries until the timeout.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    let faults: FaultQueue

    /// Sends until the receiver accepts the notification, at most five times with pauses of 0.1 to 0.8 seconds.
    /// - Parameters:
    ///   - body: The body, the same for every attempt.
    ///   - url: The receiver's URL.
    ///   - writer: Creates the headers of each attempt.
    ///   - note: Records the status of each attempt, nil if there was no answer.
    func send(
        _ body: Data,
        to url: String,
        with writer: NotificationWriter,
        note: @Sendable (Int?) async -> Void
    ) async {
        var pause = Self.firstPause
        for attempt in 1...Self.tries {
            let status = await self.attempt(body, to: url, with: writer)
            await note(status)
            if let status, (200..<300).contains(status) { return }
            guard attempt < Self.tries else { return }
            try? await Task.sleep(for: pause)
            pause *= 2
        }
    }

    private func attempt(_ body: Data, to url: String, with writer: NotificationWriter) async -> Int? {
        var body = body
        if let fault = self.faults.next(for: .notifications) {
            try? await Task.sleep(for: fault.delay)
            switch fault.kind {
            case .slow: break
            case .truncated: body = body.prefix(body.count / 2)
            case .http(let status, _): return status
            case .store, .html, .hang, .reset: return nil
            }
        }
        do {
            var request = HTTPClientRequest(url: url)
            request.method = .POST
            request.headers = try await writer.headers(body)
            request.headers.replaceOrAdd(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(data: body))
            let response = try await Self.client.execute(request, timeout: .seconds(10))
            return Int(response.status.code)
        } catch {
            return nil
        }
    }
}
