import Testing

@testable import WalletLoad

@Suite struct LoadPickerTests {
    private static func picks(
        _ pattern: LoadPattern,
        users: Int,
        classes: Int,
        seed: UInt64 = 7,
        _ count: Int = .max
    ) -> [[Int]] {
        var picker = LoadPicker(pattern, users: users, classes: classes, zipfExponent: 1, seed: seed)
        return Array(sequence(state: 0) { _ in picker.next() }.prefix(count)).map { [$0.user, $0.classIndex] }
    }

    @Test(arguments: LoadPattern.allCases)
    func `every pair of the pattern comes exactly once`(pattern: LoadPattern) {
        let picks = Self.picks(pattern, users: 30, classes: 20)

        let users = pattern == .oneWallet ? 1 : 30
        let classes = pattern == .oneClass ? 1 : 20
        #expect(picks.count == users * classes)
        #expect(Set(picks).count == picks.count)
        #expect(Set(picks.map { $0[0] }).count == users)
        #expect(Set(picks.map { $0[1] }).count == classes)
    }

    @Test func `the same seed picks the same pairs, another seed other pairs`() {
        let picks = Self.picks(.zipf, users: 1_000, classes: 100, seed: 1, 500)

        #expect(Self.picks(.zipf, users: 1_000, classes: 100, seed: 1, 500) == picks)
        #expect(Self.picks(.zipf, users: 1_000, classes: 100, seed: 2, 500) != picks)
    }

    @Test func `uniform spreads over all users, zipf prefers the first ones by rank`() {
        let uniform = Self.picks(.uniform, users: 100, classes: 10_000, 50_000).map { $0[0] }
        let zipf = Self.picks(.zipf, users: 100, classes: 50_000, 50_000).map { $0[0] }

        // The mean is 500 each; the standard deviation is 22.
        for user in 0..<100 { #expect((350...650).contains(uniform.count { $0 == user })) }
        let (first, second, tenth) = (zipf.count { $0 == 0 }, zipf.count { $0 == 1 }, zipf.count { $0 == 9 })
        // The harmonic number of 100 is 5.187, so the expected counts are 9639, 4820 and 964.
        #expect((9_200...10_100).contains(first))
        #expect((4_500...5_150).contains(second))
        #expect((820...1_110).contains(tenth))
    }
}
