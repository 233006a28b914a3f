import Foundation
public import Logging
public import Stores
public import Wallet

/// Fetches the App Store's notifications that did not arrive: the store keeps them for 180 days and lists them.
///
/// Each notification goes through the inbox, which ignores duplicates.
public struct NotificationHistory: Sendable {
    private static let overlap: TimeInterval = 3_600
    private static let span: TimeInterval = 7 * 86_400

    private let inbox: Inbox
    private let wallet: Wallet
    private let api: AppStoreServerAPI
    private let verifier: SignedDataVerifier
    private let logger: Logger

    /// Creates a reader of the history.
    ///
    /// - Parameters:
    ///   - inbox: Receives the notifications.
    ///   - wallet: Stores the time up to which the history was read.
    ///   - api: Lists the notifications.
    ///   - verifier: Verifies the notifications.
    ///   - logger: Logs failures.
    public init(
        inbox: Inbox,
        wallet: Wallet,
        api: AppStoreServerAPI,
        verifier: SignedDataVerifier,
        logger: Logger
    ) {
        self.inbox = inbox
        self.wallet = wallet
        self.api = api
        self.verifier = verifier
        self.logger = logger
    }

    /// Reads the notifications of both store environments since the last round.
    ///
    /// If one environment does not answer, the other is still read, and the next round retries the failed one.
    ///
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func work() async throws {
        for side in [StoreEnvironment.production, .sandbox] where !Task.isCancelled {
            do {
                try await self.read(side)
            } catch let error as StoreError {
                self.logger.warning(
                    "The App Store's notification history could not be read",
                    metadata: ["environment": "\(side)", "error": "\(error)"]
                )
            }
        }
    }

    private func read(_ side: StoreEnvironment) async throws {
        let now = try await self.wallet.now()
        var start = try await self.wallet.historyStart(of: .appStore, side)
        // The store may list a notification some time after its creation.
        start -= Self.overlap
        while start < now, !Task.isCancelled {
            let end = min(start + Self.span, now)
            try await self.take(from: start, to: end, side)
            try await self.wallet.noteHistory(of: .appStore, side, until: end)
            start = end
        }
    }

    private func take(from start: Date, to end: Date, _ side: StoreEnvironment) async throws {
        var page: String?
        repeat {
            let answer = try await self.api.notifications(from: start, to: end, on: side, page: page)
            for payload in answer.signedPayloads { try await self.take(payload) }
            page = answer.next
        } while page != nil && !Task.isCancelled
    }

    private func take(_ signedPayload: String) async throws {
        let event: StoreEvent
        do {
            event = try await self.verifier.notification(signedPayload)
        } catch {
            switch error.code {
            case .unreadable: return try await self.quarantine(signedPayload, "unreadable")
            case .unavailable, .misconfigured, .rateLimited: throw error
            default:
                self.logger.error(
                    "Ignored a notification in the App Store's history that is not for this wallet",
                    metadata: ["error": "\(error.code)"]
                )
                return
            }
        }
        if event.isPartlyUnreadable { try await self.quarantine(signedPayload, "partly-unreadable") }
        try await self.inbox.take(event)
    }

    private func quarantine(_ signedPayload: String, _ reason: String) async throws {
        let body = try JSONEncoder().encode(["signedPayload": signedPayload])
        try await self.inbox.quarantine(body, from: .appStore, reason)
    }
}
