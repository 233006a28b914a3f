import Testing

@testable import Stores

@Suite
struct ReceiptMemoryTests {
    private let clock = ManualClock()
    private let refusal = StoreError(.rejected, storeStatus: 21_003)

    private func memory(capacity: Int) -> ReceiptMemory<StoreError> {
        ReceiptMemory<StoreError>(capacity: capacity, lifetime: .seconds(600), now: { self.clock.now })
    }

    @Test
    func `an entry has a fixed lifetime, which a lookup does not extend`() {
        let memory = self.memory(capacity: 10)
        memory.remember(self.refusal, of: "a")
        self.clock.advance(by: .seconds(300))
        #expect(memory.value(of: "a") == self.refusal)
        self.clock.advance(by: .seconds(301))
        #expect(memory.value(of: "a") == nil)
        #expect(memory.value(of: "a") == nil)
    }

    @Test
    func `the memory never exceeds its capacity and evicts the least used entry`() {
        let memory = self.memory(capacity: 3)
        for hash in ["a", "b", "c"] {
            memory.remember(self.refusal, of: hash)
        }
        #expect(memory.value(of: "a") != nil)
        memory.remember(self.refusal, of: "d")
        #expect(memory.value(of: "b") == nil)
        #expect(memory.value(of: "a") != nil)
        #expect(memory.value(of: "c") != nil)
        #expect(memory.value(of: "d") != nil)
    }

    @Test
    func `storing an entry again restarts its lifetime and uses one place`() {
        let memory = self.memory(capacity: 2)
        memory.remember(self.refusal, of: "a")
        self.clock.advance(by: .seconds(400))
        memory.remember(self.refusal, of: "a")
        memory.remember(self.refusal, of: "b")
        self.clock.advance(by: .seconds(400))
        #expect(memory.value(of: "a") != nil)
        #expect(memory.value(of: "b") != nil)
    }

    @Test
    func `the memory stays bounded over many receipts`() {
        let memory = self.memory(capacity: 100)
        for number in 0..<10_000 {
            memory.remember(self.refusal, of: "\(number)")
        }
        #expect((0..<9_900).allSatisfy { memory.value(of: "\($0)") == nil })
        #expect((9_900..<10_000).allSatisfy { memory.value(of: "\($0)") != nil })
    }
}
