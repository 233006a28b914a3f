import Foundation
import Postgres

/// A request for one page of a list.
public struct PageRequest: Sendable, Equatable {
    /// The maximum number of items, 1 to 100.
    public var limit: Int
    /// The `next_cursor` of the previous page; `nil` for the first page.
    public var cursor: String?

    /// Creates a request; the limit is clamped to 1 to 100.
    public init(limit: Int = 20, cursor: String? = nil) {
        self.limit = min(max(limit, 1), 100)
        self.cursor = cursor
    }
}

/// One page of a list, and the cursor for the next page.
public struct Page<Item: Sendable>: Sendable {
    /// The items of this page, in the list's order.
    public var items: [Item]
    /// The `cursor` for the next page; `nil` on the last page.
    public var nextCursor: String?

    /// Creates a page.
    public init(items: [Item], nextCursor: String?) {
        self.items = items
        self.nextCursor = nextCursor
    }
}

extension PageRequest {
    /// Decodes the cursor's single number; returns `nil` for the first page.
    func cursorNumber() throws -> Int64? {
        guard let cursor = self.cursor else { return nil }
        guard let number = Int64(try Cursor.decode(cursor, count: 1)[0]) else { throw Cursor.malformed(cursor) }
        return number
    }

    /// Decodes the cursor's instant, in microseconds since 1970, and id; returns `nil` for the first page.
    func cursorInstant() throws -> (microseconds: Int64, id: String)? {
        guard let cursor = self.cursor else { return nil }
        let parts = try Cursor.decode(cursor, count: 2)
        // Up to the year 9999.
        guard let microseconds = Int64(parts[0]), microseconds.magnitude < 253_402_300_800_000_000 else {
            throw Cursor.malformed(cursor)
        }
        return (microseconds, parts[1])
    }

    /// Decodes the cursor's single UUID; returns `nil` for the first page.
    func cursorUUID() throws -> UUID? {
        guard let cursor = self.cursor else { return nil }
        guard let id = UUID(uuidString: try Cursor.decode(cursor, count: 1)[0]) else { throw Cursor.malformed(cursor) }
        return id
    }
}

extension Page {
    /// Creates a page from a list that may contain one item more than the page holds.
    init(_ items: [Item], limit: Int, cursor: (Item) -> [String]) {
        let held = Array(items.prefix(limit))
        let next = items.count > limit ? held.last.map { Cursor.encode(cursor($0)) } : nil
        self.init(items: held, nextCursor: next)
    }
}

/// The position where a page ended, as opaque text.
enum Cursor {
    /// Encodes the sort values of a page's last item.
    static func encode(_ parts: [String]) -> String {
        Data(parts.joined(separator: "\n").utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Decodes the sort values.
    ///
    /// - Parameters:
    ///   - text: The cursor from a client.
    ///   - count: The number of values that the list sorts by.
    /// - Returns: The values.
    /// - Throws: ``WalletError`` 400 `malformed-request` for a text that is not a cursor of this service.
    static func decode(_ text: String, count: Int) throws -> [String] {
        var base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
        guard
            let data = Data(base64Encoded: base64),
            let parts = String(data: data, encoding: .utf8)?.split(separator: "\n", omittingEmptySubsequences: false),
            parts.count == count, !parts.contains(where: { $0.contains("\0") })
        else { throw Self.malformed(text) }
        return parts.map(String.init)
    }

    /// Returns the error for a text that is not a cursor of this service.
    static func malformed(_ text: String) -> WalletError {
        .malformed(parameter: "cursor", allowed: "the next_cursor of an earlier response", received: text)
    }
}

/// A request for a part of a list by offset, as older clients page.
///
/// The offset is bounded; clients that read further must page by cursor.
public struct OffsetRequest: Sendable, Equatable {
    /// The maximum offset.
    public static let maximumOffset = 10_000

    /// The maximum number of items, 1 to 100.
    public var limit: Int
    /// The number of items to skip, 0 to ``maximumOffset``.
    public var offset: Int

    /// Creates a request; both numbers are clamped to their bounds.
    public init(limit: Int, offset: Int = 0) {
        self.limit = min(max(limit, 1), 100)
        self.offset = min(max(offset, 0), Self.maximumOffset)
    }

    /// The maximum number of items to count: the largest offset plus the largest part.
    var countLimit: Int { Self.maximumOffset + 100 }
}

/// A part of a list, and the length of the list.
public struct OffsetPage<Item: Sendable>: Sendable {
    /// The items of this part, in the list's order.
    public var items: [Item]
    /// The length of the list, counted only as far as clients can page.
    public var total: Int

    /// Creates a part.
    public init(items: [Item], total: Int) {
        self.items = items
        self.total = total
    }
}

extension Wallet {
    /// Reads a part of a list; every row contains the total, and the query returns one row even for an empty part.
    func part<Item: Sendable>(_ query: Query, _ read: (Row) throws -> Item) async throws -> OffsetPage<Item> {
        let rows = try await self.read(query) { row in
            (
                total: Int(try row.decode("total", as: Int64.self)),
                item: try row.decode("is_found", as: Bool.self) ? try read(row) : nil
            )
        }
        return OffsetPage(items: rows.compactMap(\.item), total: rows.first?.total ?? 0)
    }
}
