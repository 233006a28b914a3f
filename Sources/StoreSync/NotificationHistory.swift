import Foundation
public import Logging
public import Stores
public import Wallet

/// Takes in the App Store's notifications that did not arrive: it keeps them for 180 days and lists them.
///
/// Each goes through the inbox, where one that did arrive does nothing.
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
    ///   - inbox: Takes the notifications in.
    ///   - wallet: Knows up to when they were read.
    ///   - api: Lists them.
    ///   - verifier: Verifies them.
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

    /// Reads what both sides of the store have sent since the last time; one side that does not answer costs the other
    /// nothing, and is asked again in the next round.
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
        // A notification may be listed some time after it was made.
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
            case .unreadable: return try await self.park(signedPayload, "unreadable")
            case .unavailable, .misconfigured, .rateLimited: throw error
            default:
                self.logger.error(
                    "The App Store's history lists a notification that is not for this wallet",
                    metadata: ["error": "\(error.code)"]
                )
                return
            }
        }
        if event.isPartlyUnreadable { try await self.park(signedPayload, "partly-unreadable") }
        try await self.inbox.take(event)
    }

    private func park(_ signedPayload: String, _ reason: String) async throws {
        let body = try JSONEncoder().encode(["signedPayload": signedPayload])
        try await self.inbox.park(body, from: .appStore, reason)
    }
}
