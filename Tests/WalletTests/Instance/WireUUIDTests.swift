import Foundation
import Testing
import Wallet

@Suite struct WireUUIDTests {
    @Test func `ids that are ordered by time sort in the order of their creation`() throws {
        let started = Date()
        var texts: [String] = []
        for _ in 0..<100 {
            texts.append(UUID.timeOrdered().wireText)
            // Two ids of one microsecond have no order.
            let now = ContinuousClock.now
            while ContinuousClock.now - now < .microseconds(2) {}
        }
        #expect(texts == texts.sorted())
        let form = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
        #expect(texts.allSatisfy { $0.wholeMatch(of: form) != nil })
        let milliseconds = try #require(Int(texts[0].replacing("-", with: "").prefix(12), radix: 16))
        #expect(abs(Double(milliseconds) / 1_000 - started.timeIntervalSince1970) < 10)
    }
}
