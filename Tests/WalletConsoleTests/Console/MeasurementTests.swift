import Testing

@testable import WalletConsole

@Suite struct MeasurementTests {
    private static let text = #"""
        # HELP a_total Some help {with="braces"} 7
        # TYPE a_total counter
        a_total{slug="class-full",other="with \"quotes\", a comma and \\"} 3
        a_total{slug="x"} 4
        plain 2.5
        broken
        wait_seconds_bucket{route="/a",le="0.005"} 2
        wait_seconds_bucket{route="/a",le="0.01"} 5
        wait_seconds_bucket{route="/a",le="+Inf"} 6
        wait_seconds_bucket{route="/b",le="0.005"} 1
        wait_seconds_bucket{route="/b",le="0.01"} 1
        wait_seconds_bucket{route="/b",le="+Inf"} 1
        wait_seconds_count{route="/a"} 6
        """#

    @Test func `samples are read with any labels`() {
        let measured = Measurements(Self.text)

        #expect(measured.sum(of: "a_total") == 7)
        #expect(measured.sum(of: "plain") == 2.5)
        #expect(measured.sum(of: "broken") == nil)
        #expect(
            measured.of("a_total").first?.labels == [
                "slug": "class-full", "other": #"with "quotes", a comma and \"#,
            ]
        )
    }

    @Test func `a histogram's buckets are counted separately, over all labels`() {
        let counts = Measurements(Self.text).counts(of: "wait_seconds")

        #expect(counts.map(\.bound) == [0.005, 0.01, .infinity])
        #expect(counts.map(\.count) == [3, 3, 1])
    }
}
