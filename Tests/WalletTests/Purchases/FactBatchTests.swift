import Foundation
import Postgres
import Stores
import TestSupport
import Testing

@testable import Wallet

/// Tests that concurrent facts and messages are decided in one batch and each gets its own result.
@Suite(.serialized) struct FactBatchTests {
    @Test func `a refused fact does not affect the others of its batch, and each gets its own answer`() async throws {
        try await withWalkDatabase { database in
            try await database.root.execute(
                script: """
                    CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                        BEGIN RAISE EXCEPTION USING ERRCODE = 'WL422', MESSAGE = 'refused-here'; END $$;
                    CREATE TRIGGER refuse BEFORE INSERT ON wallet.claims FOR EACH ROW
                        WHEN (NEW.transaction_id = 't3') EXECUTE FUNCTION public.refuse();
                    """
            )
            let facts = try await database.facts(8)
            let id = UUID().uuidString
            // Two spellings of one UUID identify one user.
            let users = [id.lowercased(), "1", "2", "3", id.uppercased(), "5", "6", "7"].map(UserID.init(rawValue:))
            let results = try await database.together(8, in: database.wallet.facts) { number in
                try await database.wallet.apply(facts[number], submittedBy: users[number])
            }
            var refused: [Int] = []
            for (number, result) in results.enumerated() {
                let credits = try await database.wallet.balance(of: users[number], in: .production).credits
                switch result {
                case .success(let outcome):
                    #expect(outcome.transactionID == "t\(number)")
                    #expect(outcome.verdict == .granted && !outcome.duplicate)
                    #expect(credits == (users[number] == users[0] ? 400 : 200))
                case .failure(let error):
                    #expect(error.status == 422 && error.slug == "refused-here" && credits == 0)
                    refused.append(number)
                }
            }
            #expect(refused == [3])
            #expect(try await database.wallet.violations().isEmpty)
        }
    }

    @Test func `the same purchase and the same message in one batch count once`() async throws {
        try await withWalkDatabase { database in
            let fact = try await database.fact("t1")
            let bought = try await database.together(12, in: database.wallet.facts) { number in
                try await database.wallet.apply(fact, submittedBy: number % 2 == 0 ? .anna : .ben)
            }
            let outcomes = try bought.map { try $0.get() }
            #expect(outcomes.count { $0.verdict == .granted && !$0.duplicate } == 1)
            #expect(outcomes.count { $0.verdict == .granted && $0.duplicate } == 5)
            #expect(outcomes.count { $0.reason == "transaction-already-claimed" } == 6)

            let event = StoreEvent.of(try await database.fact("t2"), id: "e", owner: .anna)
            let told = try await database.together(12, in: database.wallet.events) { _ in
                try await database.wallet.receive(event)
            }
            let kept = try told.map { try $0.get() }
            #expect(kept.allSatisfy { $0.status == .processed })
            #expect(kept.count { !$0.duplicate } == 1)
            #expect(Set(kept.map(\.inboxID)).count == 1)
            var credits: Int64 = 0
            for user in [UserID.anna, .ben] {
                credits += try await database.wallet.balance(of: user, in: .production).credits
            }
            #expect(credits == 400)
            #expect(try await database.wallet.violations().isEmpty)
        }
    }

    @Test func `three hundred receipts and messages of many users at once are granted once each`() async throws {
        try await withWalkDatabase(connections: 8) { database in
            let facts = try await database.facts(150)
            _ = try await atOnce(300) { number in
                let (fact, user) = (facts[number / 2], UserID(rawValue: "user \(number / 2 % 40)"))
                if number % 2 == 0 {
                    let outcome = try await database.wallet.apply(fact, submittedBy: user)
                    #expect(outcome.verdict == .granted)
                } else {
                    let event = StoreEvent.of(fact, id: "e\(number)", owner: user)
                    let outcome = try await database.wallet.receive(event)
                    #expect(outcome.status == .processed)
                }
            }
            var credits: Int64 = 0
            for number in 0..<40 {
                let user = UserID(rawValue: "user \(number)")
                credits += try await database.wallet.balance(of: user, in: .production).credits
            }
            #expect(credits == 150 * 200)
            #expect(try await database.wallet.violations().isEmpty)
        }
    }

    @Test func `beyond the queue's limit the answer is 503 at once, and no accepted item is lost`()
        async throws
    {
        try await withWalkDatabase { database in
            let wallet = Wallet(pool: database.pool, facts: BatchingConfiguration(batchLimit: 4, queueLimit: 10))
            let events = try await database.facts(30).enumerated().map { number, fact in
                StoreEvent.of(fact, id: "e\(number)", owner: .anna)
            }
            wallet.events.hold()
            let results = try await withThrowingTaskGroup(of: Result<EventOutcome, WalletError>.self) { group in
                for event in events { group.addTask { try await outcome { try await wallet.receive(event) } } }
                var results: [Result<EventOutcome, WalletError>] = []
                while results.count < 20, let result = try await group.next() { results.append(result) }
                let overloaded = WalletError(status: 503, slug: "overloaded", retryAfter: 1)
                #expect(results.allSatisfy { $0.refusal == overloaded })
                #expect(wallet.events.depth == 10)
                wallet.events.release()
                return try await group.reduce(into: results) { $0.append($1) }
            }
            let taken = results.filter { $0.refusal == nil }
            #expect(taken.count == 10)
            #expect(try await wallet.balance(of: .anna, in: .production).credits == 2_000)
            for event in events { #expect(try await wallet.receive(event).status == .processed) }
            #expect(try await wallet.balance(of: .anna, in: .production).credits == 6_000)
            #expect(try await wallet.violations().isEmpty)
        }
    }

    @Test func `a wallet locked from outside does not delay the others of its batch`() async throws {
        try await withWalkDatabase(connections: 8) { database in
            try await database.buy(for: .anna, "before")
            let facts = try await database.facts(6)
            let locked = "SELECT FROM wallet.wallets AS w INNER JOIN wallet.users AS u USING (account_id)"
            try await database.root.query("BEGIN")
            try await database.root.query("\(unescaped: locked) WHERE u.user_id = 'anna' FOR UPDATE OF w")
            database.wallet.events.hold()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for (number, fact) in facts.enumerated() {
                    let event = StoreEvent.of(fact, id: "e\(number)", owner: number == 0 ? .anna : .ben)
                    group.addTask {
                        let outcome = try await database.wallet.receive(event)
                        #expect(outcome.status == .processed)
                        return number
                    }
                }
                try await database.waitFor(6, in: database.wallet.events)
                database.wallet.events.release()
                for _ in 0..<5 { #expect(try await group.next() != 0) }
                #expect(try await database.wallet.balance(of: .ben, in: .production).credits == 1_000)
                try await database.root.query("COMMIT")
                #expect(try await group.next() == 0)
            }
            #expect(try await database.wallet.balance(of: .anna, in: .production).credits == 400)
            #expect(try await database.wallet.violations().isEmpty)
        }
    }

    @Test func `a batch that fails as a whole is applied item by item`() async throws {
        try await withWalkDatabase { database in
            try await database.root.execute(
                script: """
                    CREATE FUNCTION public.no_space() RETURNS trigger LANGUAGE plpgsql AS $$
                        BEGIN RAISE EXCEPTION USING ERRCODE = '53100', MESSAGE = 'no space'; END $$;
                    CREATE TRIGGER no_space BEFORE INSERT ON wallet.claims FOR EACH ROW
                        WHEN (NEW.transaction_id = 't2') EXECUTE FUNCTION public.no_space();
                    """
            )
            let facts = try await database.facts(6)
            let results = try await database.together(6, in: database.wallet.facts) { number in
                try await database.wallet.apply(facts[number], submittedBy: .anna)
            }
            for (number, result) in results.enumerated() { #expect((result.refusal == nil) == (number != 2)) }
            #expect(results[2].refusal?.slug == "database-unavailable")
            #expect(try await database.wallet.balance(of: .anna, in: .production).credits == 1_000)
            #expect(try await database.wallet.violations().isEmpty)
        }
    }
}

extension WalkDatabase {
    /// Returns the facts of receipts for the given number of packs.
    fileprivate func facts(_ count: Int) async throws -> [StoreFact] {
        let fact = try await self.fact("t")
        return (0..<count).map { number in
            var fact = fact
            fact.transactionID = "t\(number)"
            return fact
        }
    }

    fileprivate func waitFor<Item, Outcome>(_ count: Int, in queue: BatchQueue<Item, Outcome>) async throws {
        try await eventually("\(count) items wait", within: .seconds(180)) { queue.depth >= count }
        try #require(queue.depth == count)
    }

    /// Runs work several times concurrently, so that the queue decides all of it in one batch.
    fileprivate func together<Item, Outcome, Value: Sendable>(
        _ times: Int,
        in queue: BatchQueue<Item, Outcome>,
        _ work: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> [Result<Value, WalletError>] {
        queue.hold()
        async let results = atOnce(times) { number in (number, try await outcome { try await work(number) }) }
        try await self.waitFor(times, in: queue)
        queue.release()
        return try await results.sorted { $0.0 < $1.0 }.map(\.1)
    }
}

extension StoreEvent {
    fileprivate static func of(_ fact: StoreFact, id: String, owner: UserID) -> StoreEvent {
        var event = StoreEvent(source: .revenueCat, id: id, type: "NON_RENEWING_PURCHASE")
        event.statements = [AttributedFact(fact: fact, owners: [owner.rawValue])]
        return event
    }
}

extension Result where Failure == WalletError {
    fileprivate var refusal: WalletError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
