import Foundation
import Testing

/// Every life of a purchase, reported in any order and by any source, ends in the same books.
///
/// Each story is played once in sandbox stores. What these post is read by the wallet's own readers and applied to the
/// database in every order of up to six words, of more in orders drawn by lot, with the app's own words and repetitions
/// in between. `CONVERGENCE_ORDERS` says how many are drawn.
struct ConvergenceTests {
    private static let orderCountOfOneCall = 25

    @Test(.timeLimit(.minutes(60)), arguments: Story.all)
    func `a story ends the same, however it is reported`(story: Story) async throws {
        let told = try await Shop.live(story)
        try await Books.open { books in
            for telling in story.tellings { try await Self.check(story, told, telling, in: books) }
        }
    }

    private static func check(_ story: Story, _ told: Told, _ telling: Telling, in books: Books) async throws {
        let words = told.words(telling)
        let seed = UInt64(story.name.utf8.reduce(7) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF })
        var orders = Orders(of: words, seed: seed)
        var rest = orders.all()[...]
        var natural: Ending?
        var tellings = 0
        while !rest.isEmpty {
            let some = Array(rest.prefix(Self.orderCountOfOneCall))
            rest = rest.dropFirst(some.count)
            for (order, ending) in zip(some, try await books.tell(words, in: some, of: told)) {
                tellings += 1
                let expected = natural ?? ending
                natural = expected
                guard ending != expected || ending.lines != story.ending(telling) else { continue }
                Self.report(order.map { words[$0].label }, of: telling, ending, expected, story.ending(telling))
                return
            }
        }
        #expect(tellings > 1)
    }

    private static func report(
        _ order: [String],
        of telling: Telling,
        _ ending: Ending,
        _ natural: Ending,
        _ stated: [String]
    ) {
        Issue.record(
            """
            told by \(telling.rawValue) in the order \(order.joined(separator: ", "))
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
