import Foundation
import Testing

/// Every life of a purchase, reported in any order and by any source, ends in the same books.
///
/// Each story is played once in sandbox stores. What these post is read by the wallet's own readers and applied to the
/// database in every order of up to six reports, of more in orders drawn by lot, with the app's own reports and repetitions
/// in between. `CONVERGENCE_ORDERS` says how many are drawn.
struct ConvergenceTests {
    private static let orderCountOfOneCall = 25

    @Test(.timeLimit(.minutes(60)), arguments: Story.all)
    func `a story ends the same, however it is reported`(story: Story) async throws {
        let reported = try await Shop.live(story)
        try await Books.open { books in
            for sources in story.sourceSets { try await Self.check(story, reported, sources, in: books) }
        }
    }

    private static func check(
        _ story: Story,
        _ reported: ReportedStory,
        _ sources: SourceSet,
        in books: Books
    ) async throws {
        let reports = reported.reports(of: sources)
        let seed = UInt64(story.name.utf8.reduce(7) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF })
        var orders = Orders(of: reports, seed: seed)
        var rest = orders.all()[...]
        var natural: Ending?
        var attempts = 0
        while !rest.isEmpty {
            let some = Array(rest.prefix(Self.orderCountOfOneCall))
            rest = rest.dropFirst(some.count)
            for (order, ending) in zip(some, try await books.apply(reports, in: some, of: reported)) {
                attempts += 1
                let expected = natural ?? ending
                natural = expected
                guard ending != expected || ending.lines != story.ending(sources) else { continue }
                Self.report(order.map { reports[$0].label }, of: sources, ending, expected, story.ending(sources))
                return
            }
        }
        #expect(attempts > 1)
    }

    private static func report(
        _ order: [String],
        of sources: SourceSet,
        _ ending: Ending,
        _ natural: Ending,
        _ stated: [String]
    ) {
        Issue.record(
            """
            reported by \(sources.rawValue) in the order \(order.joined(separator: ", "))
            it ends with
            \(ending.lines.joined(separator: "\n"))
            and should with
            \(stated.joined(separator: "\n"))
            exactly:
            \(ending.exact)
            as it happened:
            \(natural.exact)
            """
        )
    }
}
