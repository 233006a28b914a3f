import Foundation
import Logging

/// Posts notifications of events; the notifications to one receiver are sent in order.
actor NotificationPoster {
    private static let longestWait = Duration.seconds(5)

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
    /// Returns when all receivers have responded or delivery was given up, at the latest after five seconds; returns
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
}
