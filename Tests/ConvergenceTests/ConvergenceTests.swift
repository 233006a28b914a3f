import Foundation
import Testing

/// Checks that every history of a purchase ends in the same books, in any order of reports and from any source.
///
/// Each story runs once in sandbox stores. The wallet's own readers parse the messages that the stores post, and the
/// test applies the resulting reports to the database. It tries every order of up to four reports, and six randomly
/// chosen orders of more. Reports by the app and repeated reports are inserted in between. `CONVERGENCE_ORDERS` sets how
/// many orders are chosen, and then every order of up to six reports is tried (500 in `make nightly`).
/// `CONVERGENCE_STORY` runs only the stories whose name contains it.
struct ConvergenceTests {
    private static let orderCountOfOneCall = 25

    // Guarantee: granted-once, subscriptions-true
    @Test(.timeLimit(.minutes(60)), arguments: Story.chosen)
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
