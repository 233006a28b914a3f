import Foundation
import Postgres
import Synchronization
import TestSupport

/// A database in which each story starts from the same initial state.
struct Books: Sendable {
    /// Books that the next story can use, because each story takes back all that it did.
    ///
    /// What PostgreSQL compiled and planned for a connection then serves many stories.
    private static let idle = Mutex<[Books]>([])

    private let connection: Connection

    static func open<Result: Sendable>(_ body: (Books) async throws -> Result) async throws -> Result {
        let books = if let books = Self.idle.withLock({ $0.popLast() }) { books } else { try await Self.create() }
        let result = try await body(books)
        Self.idle.withLock { $0.append(books) }
        return result
    }

    private static func create() async throws -> Books {
        let connection = try await TestDatabase.clone().connect()
        try await connection.execute(script: Self.script)
        return Books(connection: connection)
    }

    /// Applies a story's reports in each of the given orders, returns the books after each, and rolls every order back.
    ///
    /// In every other order the clock follows the reports. In the remaining orders it is set to the end of the story.
    func apply(_ reports: [Report], in orders: [[Int]], of story: ReportedStory) async throws -> [Ending] {
        let encoder = JSONEncoder()
        let reports = String(decoding: try encoder.encode(reports), as: UTF8.self)
        let orders = String(decoding: try encoder.encode(orders), as: UTF8.self)
        return try await self.connection.query(
            """
            SELECT pg_temp.books_after(
                \(reports)::jsonb, o.value, o.place % 2 = 1, o.place % 8 = 1, \(story.start), \(story.end),
                \(Array(story.acknowledged))
            ) AS ended
            FROM jsonb_array_elements(\(orders)::jsonb) WITH ORDINALITY AS o (value, place)
            ORDER BY o.place
            """
        ).map { Ending(exact: try $0.decode("ended")) }
    }
}

/// The state of the books after a story.
struct Ending: Hashable, Sendable {
    /// The state with instants to the microsecond.
    let exact: String

    /// The state in the form that stories use: instants to the day, and short names for products and users.
    var lines: [String] {
        var text = self.exact
        for kind in ["credits.", "subscription."] { text = text.replacing(Product.prefix + kind, with: "") }
        for user in User.allCases { text = text.replacing(user.id, with: user.rawValue) }
        return text.split(separator: "\n").map { line in
            line.split(separator: " @").first.map(String.init) ?? ""
        }.sorted()
    }
}
