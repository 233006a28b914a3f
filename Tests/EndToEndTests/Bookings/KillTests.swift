import Foundation
import Postgres
import TestSupport
import Testing
import WalletClient

/// Tests that kill the service repeatedly while stores post: unanswered messages are repeated, and apply once.
@Suite struct KillTests {
    // Guarantee: kept-after-acknowledgement
    @Test(.timeLimit(.minutes(10))) func `killed among the steps of messages, the books end as without it`()
        async throws
    {
        var wallet = try await LiveWallet.start()
        try await wallet.store.keepQuiet()
        var killed = try wallet.users(4, "killed")
        var spared = try wallet.users(4, "spared")
        let messages = try await killed.asyncMap { try await self.live(as: $0, in: wallet) }.flatMap(\.self)
        let others = try await spared.asyncMap { try await self.live(as: $0, in: wallet) }.flatMap(\.self)
        #expect(messages.count >= 50)

        var taken: [Int] = []
        for round in 0..<4 {
            let delay = Duration.milliseconds(100 + 200 * round)
            try await self.post(messages.shuffled(), to: wallet, killedAfter: delay, stored: round == 3 ? 1 : 0)
            wallet = try await LiveWallet.start(in: wallet.directory)
            taken.append(try await wallet.inbox().count)
        }
        // The first kill interrupted the messages; the last came after some were stored.
        #expect(taken[0] < messages.count)
        #expect(taken[3] > 0)
        try await self.deliver(messages, to: wallet)
        try await self.deliver(others, to: wallet)
        (killed, spared) = try (wallet.again(killed), wallet.again(spared))
        try await eventually("every message is through") {
            try await wallet.inbox().allSatisfy { !$0.hasSuffix(" new") && !$0.hasSuffix(" failed") }
        }

        for (one, other) in zip(killed, spared) {
            let (books, expected) = (try await Books(of: one), try await Books(of: other))
            #expect(books == expected)
            #expect(books.credits > 0)
        }
        let verdict = try await wallet.verify(deep: true)
        #expect(verdict.status == 0, "\(verdict.output)")
        try await wallet.remove()
    }

    /// Buys, renews and is refunded at both stores; returns the messages about this, none of them posted.
    private func live(as user: LiveUser, in wallet: LiveWallet) async throws -> [StoreMessage] {
        let store = wallet.store
        let packs = [
            try await store.buy(SandboxStore.power, for: user.id),
            try await store.buy(SandboxStore.explorer, for: user.id),
            try await store.buyAtPlay(SandboxStore.starter, for: user.id),
        ]
        try await store.refund(packs[1], percentage: 40)
        try await store.refund(packs[2])
        let plan = try await store.buy(SandboxStore.enthusiastPlan, for: user.id)
        try await store.change(plan, "cancel")
        try await store.change(plan, "renew")
        try await store.change(plan, "billing-issue", ["grace_days": 16])
        return try await (packs + [plan]).asyncMap { try await store.messages(about: $0) }.flatMap(\.self)
    }

    /// Posts over several connections until the service is killed, after a delay and a number of stored messages.
    private func post(
        _ messages: [StoreMessage],
        to wallet: LiveWallet,
        killedAfter delay: Duration,
        stored count: Int
    ) async throws {
        let sender = try WebhookSender(wallet)
        async let posting: [Void] = concurrently(6) { lane in
            for (index, message) in messages.enumerated() where index % 6 == lane && wallet.program.isRunning {
                _ = try? await sender.post(message)
            }
        }
        try await Task.sleep(for: delay)
        while try await wallet.inbox().count < count { try await Task.sleep(for: .milliseconds(20)) }
        wallet.program.send(SIGKILL)
        _ = try await wallet.program.exitStatus(within: .seconds(60))
        _ = try await posting
    }

    private func deliver(_ messages: [StoreMessage], to wallet: LiveWallet) async throws {
        let sender = try WebhookSender(wallet)
        for message in messages {
            #expect([200, 204].contains(try await sender.post(message).status))
        }
    }

    /// The user's assets without their history.
    private struct Books: Equatable {
        let credits: Int64
        let visits: Int64
        let owed: Int64
        let purchases: [String]
        let subscriptions: [String]

        init(of user: LiveUser) async throws {
            let balance = try await user.client.balance()
            self.credits = balance.credits
            self.visits = balance.visits
            self.owed = balance.owedCredits
            self.purchases = try await user.client.purchases().items
                .map { "\($0.productID) \($0.status) \($0.granted) \($0.remaining)" }.sorted()
            self.subscriptions = try await user.client.subscriptions().subscriptions
                .map { "\($0.productID) \($0.status) \($0.tier) \($0.willRenew ?? false)" }
        }
    }
}

extension LiveWallet {
    /// Returns the same users with the instance's current address.
    fileprivate func again(_ users: [LiveUser]) throws -> [LiveUser] {
        try users.map { try LiveUser($0.id, token: $0.token, at: self.description.httpURL) }
    }
}

extension WebhookSender {
    /// Posts a message with the proof of its store.
    fileprivate func post(_ message: StoreMessage) async throws -> WebAnswer {
        guard let store = Store(rawValue: message.source) else { throw HarnessError("no store \(message.source)") }
        return try await self.post(Data(message.body.utf8), as: store)
    }
}
