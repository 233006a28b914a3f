import Foundation

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

extension PageRequest {
    /// Decodes the cursor's single number; returns `nil` for the first page.
    func cursorNumber() throws -> Int64? {
        guard let cursor = self.cursor else { return nil }
        guard let number = Int64(try Cursor.decode(cursor, count: 1)[0]) else { throw Cursor.malformed(cursor) }
        return number
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
