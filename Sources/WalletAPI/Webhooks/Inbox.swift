public import Logging
public import Stores
public import Wallet

/// Takes the stores' messages in: each is kept first, then applied, asking the store where the message only hints.
///
/// What cannot be applied now is tried again by ``work(limit:)``, on any instance.
public struct Inbox: Sendable {
    let wallet: Wallet
    let stores: StoreClients
    let logger: Logger

    /// Makes an inbox.
    ///
    /// - Parameters:
    ///   - wallet: The wallet whose books the messages are for.
    ///   - stores: Whom to ask.
    ///   - logger: Hears of messages that fail.
    public init(wallet: Wallet, stores: StoreClients, logger: Logger) {
        self.wallet = wallet
        self.stores = stores
        self.logger = logger
    }

    /// Keeps a message and applies it if it can be applied now.
    ///
    /// - Parameter event: The message, proven and read.
    /// - Throws: ``WalletError`` 503 when it could not be kept; the sender must send it again.
    public func take(_ event: StoreEvent) async throws {
        guard event.ignored != Self.notStored else { return }
        let outcome = try await self.wallet.receive(event)
        if outcome.status == .new { await self.resolve(outcome.inboxID, event) }
    }

    /// Applies messages that are due for another attempt.
    ///
    /// - Parameter limit: How many at most.
    /// - Returns: How many it tried.
    /// - Throws: ``WalletError`` 503 when the database does not answer.
    public func work(limit: Int) async throws -> Int {
        let items = try await self.wallet.dueEvents(limit: limit)
        for item in items {
            if let event = item.event {
                await self.resolve(item.inboxID, event)
            } else {
                try await self.wallet.fail(item.inboxID, reason: "unreadable", retryAfter: nil)
            }
        }
        return items.count
    }

    private static let notStored = "not-stored"

    /// Asks what must be asked, then applies; a failure is noted on the message.
    private func resolve(_ inboxID: Int64, _ event: StoreEvent) async {
        do {
            _ = try await self.wallet.process(inboxID, as: try await self.answer(event))
        } catch {
            await self.note(error, of: inboxID, type: event.type)
        }
    }

    private func note(_ error: any Error, of inboxID: Int64, type: String) async {
        let reason = "\(error)"
        self.logger.warning(
            "A store's message waits for another attempt",
            metadata: ["inbox_id": "\(inboxID)", "type": "\(type)", "error": "\(reason)"]
        )
        do {
            try await self.wallet.fail(inboxID, reason: reason, retryAfter: (error as? StoreError)?.retryAfter)
        } catch {
            // The lease of the message runs out by itself, and it is tried again.
            self.logger.warning("A failed message could not be marked", metadata: ["inbox_id": "\(inboxID)"])
        }
    }
}
