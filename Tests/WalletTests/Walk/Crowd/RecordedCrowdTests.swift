import Foundation
import Postgres
import Stores
import Synchronization
import TestSupport
import Testing
import Wallet

/// Runs crowds that buy, book, cancel and read through several instances, and records every answer.
///
/// `Tests/Resilience/history` then checks that all answers are possible, given the books at the end. Capacities, prices
/// and owners stay the same, because the check derives the seats and balances of every moment from the books.
/// `CROWD_SECONDS` sets for how long new crowds are started (5), and `CROWD_SEED` selects a single one.
@Suite(.serialized) struct RecordedCrowdTests {
    private static let members = 8
    private static let actsPerMember = 100
    private static let instances = 3

    // Guarantee: never-stale, never-overspent, never-oversold
    @Test(.timeLimit(.minutes(600))) func `every answer that a crowd received was possible`() async throws {
        let environment = ProcessInfo.processInfo.environment
        let end = ContinuousClock.now + .seconds(environment["CROWD_SECONDS"].flatMap(Double.init) ?? 5)
        var seed = environment["CROWD_SEED"].flatMap(UInt64.init) ?? 1
        var operations = 0
        repeat {
            operations += try await Self.crowd(seed)
            seed += 1
        } while environment["CROWD_SEED"] == nil && ContinuousClock.now < end
        print("recorded crowds: \(operations) answers checked")
    }

    /// Runs a crowd and checks its history; returns the number of recorded answers.
    private static func crowd(_ seed: UInt64) async throws -> Int {
        try await withWalkDatabase { database in
            let url = try database.database.serviceURL
            let pools = (0..<Self.instances).map { _ in Pool(patient: url, connections: 4) }
            let crowd = RecordedCrowd(wallets: pools.map { Wallet(pool: $0) }, now: try await database.wallet.now())
            for id in RecordedCrowd.classIDs { try await database.makeClass(id, credits: 20, seats: 3) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for member in 0..<Self.members {
                    group.addTask {
                        var random = SplitMix64(seed: seed &* 100 &+ UInt64(member))
                        for number in 0..<Self.actsPerMember { try await crowd.act(member, number, &random) }
                    }
                }
                try await group.waitForAll()
            }
            for pool in pools { await pool.close() }
            let lines = crowd.lines
            let verdict = try await Self.check(lines, database.database.url)
            #expect(verdict.isPossible, "crowd \(seed), again: CROWD_SEED=\(seed)\n\(verdict.text)")
            for sight in Self.sights {
                #expect(lines.contains { $0.contains(sight) }, "crowd \(seed) never came to \(sight)")
            }
            let wrong = try await Self.check(lines.map(Self.withOtherCredits), database.database.url)
            #expect(!wrong.isPossible)
            return lines.count
        }
    }

    /// What every crowd must come to, or its history would prove little.
    private static let sights = [
        #""granted":"#, #""replayed":false"#, #""replayed":true"#, #""returned":20"#, #""bookings":[["#, #""seats":{"#,
        "402 insufficient-credits", "409 already-booked", "409 class-full",
    ]

    /// Returns a line that shows a balance with another number of credits, and any other line as it is.
    private static func withOtherCredits(_ line: String) -> String {
        guard line.contains(#""kind":"balance""#) else { return line }
        return line.replacing(/"credits":(\d+)/) { #""credits":\#($0.1)1"# }
    }

    private static func check(_ lines: [String], _ url: String) async throws -> (isPossible: Bool, text: String) {
        let file = FileManager.default.temporaryDirectory.appending(path: "crowd-\(UUID().uuidString).jsonl")
        try Data(lines.joined().utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let history = URL(filePath: #filePath).appending(path: "../../../../Resilience/history").standardizedFileURL
        do {
            let path = file.path(percentEncoded: false)
            let command = ShellCommand(history.path(percentEncoded: false), [path, "--database", url])
            return (true, try await command.run())
        } catch {
            return (false, "\(error)")
        }
    }
}

/// A crowd whose answers are written down in the format of `Tests/Resilience/harness/history.py`.
private final class RecordedCrowd: Sendable {
    static let classIDs = (0..<3).map { "class\($0)" }
    private static let users = (0..<5).map { UserID(rawValue: "user\($0)") }

    private let wallets: [Wallet]
    private let now: Date
    private let began = ContinuousClock.now
    private let recorded = Mutex<[String]>([])

    init(wallets: [Wallet], now: Date) {
        self.wallets = wallets
        self.now = now
    }

    /// One line of JSON for each answer.
    var lines: [String] { self.recorded.withLock { $0 } }

    /// Performs one random act of a member.
    ///
    /// Members share users, keys and purchases.
    func act(_ member: Int, _ number: Int, _ random: inout SplitMix64) async throws {
        let wallet = self.wallets[Int.random(in: 0..<self.wallets.count, using: &random)]
        let owner = Int.random(in: 0..<Self.users.count, using: &random)
        let user = Self.users[owner]
        let classID = Self.classIDs[Int.random(in: 0..<Self.classIDs.count, using: &random)]
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<12:
            let fact = self.purchase("t\(owner).\(Int.random(in: 0..<3, using: &random))")
            await self.record(member, "receipt", user, #"{"transaction":"\#(fact.transactionID)"}"#) {
                let outcome = try await wallet.apply(fact, submittedBy: user)
                return #"{"granted":\#(outcome.amount)}"#
            }
        case 12..<42:
            let seats = random.chance(70) ? 1 : 2
            let key = "key\(Int.random(in: 0..<6, using: &random)) \(classID) \(seats)"
            let asked = #"{"key":"\#(key)","class":"\#(classID)","seats":\#(seats)}"#
            await self.record(member, "book", user, asked) {
                let request = BookingRequest(classID: classID, seats: seats)
                let made = try await wallet.book(request, for: user, in: .production, key: key)
                return """
                    {"replayed":\(made.replayed),"booking":"\(made.booking.bookingID.uuidString.lowercased())",\
                    "class":"\(made.booking.classID)","amount":\(made.booking.amount),\(Self.members(made.balance))}
                    """
            }
        case 42..<64: try await self.cancelSome(of: user, member, wallet, random.chance(50))
        case 64..<74:
            let amount = Int64.random(in: -20...25, using: &random) | 1
            try await self.adjust(amount, of: user, "adjust\(member).\(number)", member, wallet)
        case 74..<88:
            await self.record(member, "balance", user, "{}") {
                let balance = try await wallet.balance(of: user, in: .production)
                return #"{"credits":\#(balance.credits),"visits":\#(balance.visits),"version":\#(balance.version)}"#
            }
        default:
            await self.record(member, "class", nil, #"{"class":"\#(classID)"}"#) {
                let session = try await wallet.classSession(classID, in: .production)
                return #"{"seats":{"\#(classID)":\#(session.seatsLeft)}}"#
            }
        }
    }

    private func purchase(_ transactionID: String) -> StoreFact {
        StoreFact(
            store: .appStore,
            environment: .production,
            transactionID: transactionID,
            storeProductID: WalkDatabase.pack("starter"),
            kind: .oneTime,
            purchasedAt: self.now.addingTimeInterval(-60),
            source: .receipt,
            sourceAt: self.now
        )
    }

    /// Lists the user's bookings, which is an answer, too, and cancels one of them.
    private func cancelSome(of user: UserID, _ member: Int, _ wallet: Wallet, _ oldest: Bool) async throws {
        let listed = Mutex<[UUID]>([])
        await self.record(member, "bookings", user, #"{"limit":50}"#) {
            let page = PageRequest(limit: 50, cursor: nil)
            let mine = try await wallet.bookings(of: user, in: .production, filter: nil, page: page).items
            listed.withLock { $0 = mine.filter { $0.status == "booked" }.map(\.bookingID) }
            let shown = mine.map { #"["\#($0.bookingID.uuidString.lowercased())","\#($0.status)"]"# }
            return #"{"bookings":[\#(shown.joined(separator: ","))]}"#
        }
        let ids = listed.withLock { $0 }
        guard let id = oldest ? ids.last : ids.first else { return }
        await self.record(member, "cancel", user, #"{"booking":"\#(id.uuidString.lowercased())"}"#) {
            let made = try await wallet.cancel(id, for: user, in: .production)
            return """
                {"booking":"\(id.uuidString.lowercased())","returned":\(made.booking.returned?.amount ?? 0),\
                \(Self.members(made.balance))}
                """
        }
    }

    private func adjust(
        _ amount: Int64,
        of user: UserID,
        _ reference: String,
        _ member: Int,
        _ wallet: Wallet
    ) async throws {
        let text = """
            {"user_id":"\(user.rawValue)","unit":"credit","amount":\(amount),"reason":"goodwill",\
            "reference":"\(reference)","new_user":true}
            """
        let adjustment = try WireJSON.decode(Adjustment.self, from: Data(text.utf8))
        let asked = #"{"key":"\#(reference)","amount":\#(amount),"unit":"credit"}"#
        await self.record(member, "adjust", user, asked) {
            let made = try await wallet.adjust(adjustment, by: .clerk, key: nil, in: .production)
            return #"{"replayed":\#(made.replayed),"amount":\#(amount),\#(Self.members(made.balance))}"#
        }
    }

    private static func members(_ balance: BalanceSummary) -> String {
        #""credits":\#(balance.credits),"visits":\#(balance.visits),"version":\#(balance.version)"#
    }

    /// Asks, and writes down the answer with its times.
    ///
    /// A read without an answer shows nothing and is left out.
    private func record(
        _ member: Int,
        _ kind: String,
        _ user: UserID?,
        _ arguments: String,
        _ ask: () async throws -> String
    ) async {
        let start = self.began.duration(to: .now) / .seconds(1)
        var answer: String
        do {
            answer = try await ask()
        } catch let error as WalletError where error.status < 500 {
            answer = #"{"refused":"\#(error.status) \#(error.slug)"}"#
        } catch {
            guard !["balance", "bookings", "class"].contains(kind) else { return }
            answer = #""unknown""#
        }
        let end = self.began.duration(to: .now) / .seconds(1)
        let name = user.map { #""user":"\#($0.rawValue)","# } ?? ""
        let line = """
            {"client":\(member),"start":\(start),"end":\(end),"kind":"\(kind)",\(name)"environment":"production",\
            "arguments":\(arguments),"answer":\(answer)}

            """
        self.recorded.withLock { $0.append(line) }
    }
}
