import Synchronization
import Testing

@testable import Wallet

/// Tests the queue without a database: its batches, limits and waiting times.
@Suite struct BatchQueueTests {
    @Test func `the first item is a batch of one, and items that arrive meanwhile form the next batch`() async throws {
        let batches = Mutex<[[Int]]>([])
        let gate = Gate()
        let queue = BatchQueue<Int, Int>(BatchingConfiguration(batchLimit: 4)) { items in
            batches.withLock { $0.append(items) }
            if items == [0] { await gate.wait() }
            return items.map { .success($0 * 2) }
        }
        let answers = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            group.addTask { (0, try await queue.submit(0)) }
            while batches.withLock({ $0.isEmpty }) { await Task.yield() }
            for number in 1...6 {
                group.addTask { (number, try await queue.submit(number)) }
                while queue.depth < number { await Task.yield() }
            }
            gate.open()
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(batches.withLock { $0 } == [[0], [1, 2, 3, 4], [5, 6]])
        #expect(answers == Dictionary(uniqueKeysWithValues: (0...6).map { ($0, $0 * 2) }))
    }

    @Test func `one more than may wait is refused at once, and the others are answered`() async throws {
        let queue = BatchQueue<Int, Int>(BatchingConfiguration(queueLimit: 2)) { $0.map { .success($0) } }
        queue.hold()
        async let first = queue.submit(1)
        async let second = queue.submit(2)
        while queue.depth < 2 { await Task.yield() }
        await #expect(throws: WalletError(status: 503, slug: "overloaded", retryAfter: 1)) {
            try await queue.submit(3)
        }
        queue.release()
        #expect(try await [first, second] == [1, 2])
    }

    @Test(.timeLimit(.minutes(5)))
    func `an item whose patience ends before its batch starts is refused then, and not decided`() async throws {
        let decided = Mutex<[Int]>([])
        let gate = Gate()
        let queue = BatchQueue<Int, Int>(BatchingConfiguration(patience: .seconds(3))) { items in
            decided.withLock { $0 += items }
            await gate.wait()
            return items.map { .success($0) }
        }
        async let first = queue.submit(1)
        while decided.withLock({ $0.isEmpty }) { await Task.yield() }
        // Twice, because the queue stops watching deadlines while no item waits.
        for late in [2, 3] {
            // The batch of the first item still runs.
            await #expect(throws: WalletError(status: 503, slug: "overloaded", retryAfter: 1)) {
                try await queue.submit(late)
            }
        }
        gate.open()
        #expect(try await first == 1)
        #expect(try await queue.submit(4) == 4)
        #expect(decided.withLock { $0 } == [1, 4])
    }

    @Test func `an item is decided although its client disconnects after the batch started`() async throws {
        let decided = Mutex<[Int]>([])
        let gate = Gate()
        let queue = BatchQueue<Int, Int>(BatchingConfiguration()) { items in
            await gate.wait()
            decided.withLock { $0 += items }
            return items.map { .success($0) }
        }
        let client = Task { try await queue.submit(7) }
        while queue.depth > 0 { await Task.yield() }
        client.cancel()
        gate.open()
        #expect(try await client.value == 7)
        #expect(decided.withLock { $0 } == [7])
    }

    @Test func `several workers run as many batches at once`() async throws {
        let most = Mutex((now: 0, most: 0))
        let gate = Gate()
        let queue = BatchQueue<Int, Int>(BatchingConfiguration(batchLimit: 1, workers: 3)) { items in
            most.withLock { state in
                state.now += 1
                state.most = max(state.most, state.now)
            }
            await gate.wait()
            most.withLock { $0.now -= 1 }
            return items.map { .success($0) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<5 { group.addTask { _ = try await queue.submit(number) } }
            while most.withLock({ $0.now }) < 3 || queue.depth < 2 { await Task.yield() }
            gate.open()
            try await group.waitForAll()
        }
        #expect(most.withLock { $0.most } == 3)
    }
}

/// Blocks all callers until it is opened.
private final class Gate: Sendable {
    private let state = Mutex((isOpen: false, waiting: [CheckedContinuation<Void, Never>]()))

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = self.state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = self.state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
