public import Foundation
import Logging
import NIOHTTP1

extension AppStoreServerAPI {
    /// Asks for the notifications of a time again, to make up for those that never arrived.
    ///
    /// The store keeps them for 180 days. One that cannot be verified or read is left out and counted in the log, since
    /// it must not keep the others away.
    /// - Parameters:
    ///   - start: the first instant of the time.
    ///   - end: the first instant after it.
    ///   - onlyFailures: leave out those that the store could deliver.
    ///   - environment: the side to ask; nil asks both, and passes over one that refuses the token, as production does
    ///     before an app is in the store.
    /// - Returns: the notifications in the store's order, the production side's first.
    /// - Throws: ``StoreError``: `rejected` with the store's code, `rateLimited` and `unavailable` with the seconds to
    ///   wait, also for an answer without an end, `misconfigured`.
    public func notifications(
        from start: Date,
        to end: Date,
        onlyFailures: Bool,
        in environment: StoreEnvironment? = nil
    ) async throws(StoreError) -> [StoreEvent] {
        let request = AppStoreNotificationsRequest(from: start, to: end, onlyFailures: onlyFailures)
        if let environment { return try await self.notifications(matching: request, of: environment) }
        let first = await self.outcome(of: request, from: .production)
        let second = await self.outcome(of: request, from: .sandbox)
        switch (first, second) {
        case (.success(let events), .success(let others)): return events + others
        case (.success(let events), .failure(let error)) where error.code == .misconfigured: return events
        case (.failure(let error), .success(let events)) where error.code == .misconfigured: return events
        case (.failure(let error), _), (_, .failure(let error)): throw error
        }
    }

    private func outcome(
        of request: AppStoreNotificationsRequest,
        from side: StoreEnvironment
    ) async -> Result<[StoreEvent], StoreError> {
        do throws(StoreError) {
            return .success(try await self.notifications(matching: request, of: side))
        } catch {
            return .failure(error)
        }
    }

    private func notifications(
        matching request: AppStoreNotificationsRequest,
        of side: StoreEnvironment
    ) async throws(StoreError) -> [StoreEvent] {
        guard let body = try? JSONEncoder().encode(request) else { throw StoreError(.unreadable) }
        let path = "/inApps/v1/notifications/history"
        var question = AppStoreServerCall.Question(
            operation: .appStoreNotifications,
            method: .POST,
            path: path,
            body: body
        )
        var page = try self.read(AppStoreNotificationsAnswer.self, from: try await self.ask(question, of: side))
        var events = await self.events(of: page, from: side)
        var tokens: Set<String> = []
        while page.hasMore {
            guard let token = page.paginationToken, let segment = StorePath.segment(token),
                tokens.insert(token).inserted, tokens.count < self.configuration.maximumPages
            else { throw self.disagreement("pagination token", of: side) }
            question.path = "\(path)?paginationToken=\(segment)"
            page = try self.read(AppStoreNotificationsAnswer.self, from: try await self.ask(question, of: side))
            events += await self.events(of: page, from: side)
        }
        return events
    }

    /// Verifies the notifications of a page; what the sandbox side tells of production is not believed.
    private func events(of page: AppStoreNotificationsAnswer, from side: StoreEnvironment) async -> [StoreEvent] {
        var events: [StoreEvent] = []
        for notification in page.notificationHistory {
            guard let event = try? await self.verifier.notification(notification.signedPayload),
                side == .production || !event.statements.contains(where: { $0.fact.environment == .production })
            else { continue }
            events.append(event)
        }
        if events.count < page.notificationHistory.count {
            self.logger.warning(
                "App Store notifications could not be read",
                metadata: ["side": "\(side)", "count": "\(page.notificationHistory.count - events.count)"]
            )
        }
        return events
    }
}
