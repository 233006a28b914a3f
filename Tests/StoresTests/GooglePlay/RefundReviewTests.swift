import Foundation
import Stores
import Testing

@Suite struct RefundReviewTests {
    @Test(
        arguments: [
            (25, 12, 48_000), (3, 1, 33_333), (3, 3, 100_000), (3, 4, 100_000), (3, 0, 0), (3, -1, 0), (0, 0, nil),
            (Int64.max, Int64.max, 100_000),
        ] as [(Int64, Int64, Int?)]
    )
    func `the used share is rounded down, and omitted without a count`(
        granted: Int64,
        spent: Int64,
        share: Int?
    ) {
        let answer = RefundReviewAnswer(granted: granted, spent: spent, uses: [], preference: .neutral)
        #expect(answer.consumptionPercentage == share)
    }

    @Test
    func `the number of uses is limited to the store's maximum`() {
        let uses = (0..<1_500).map { number in
            RefundReviewAnswer.Use(at: Date(timeIntervalSince1970: Double(number)), description: "x")
        }
        let answer = RefundReviewAnswer(granted: 1, spent: 1, uses: uses, preference: .decline)
        #expect(answer.uses == Array(uses.prefix(1_000)))
    }
}
