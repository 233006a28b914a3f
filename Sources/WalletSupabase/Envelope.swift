import Hummingbird
import Wallet
import WalletAPI

/// The envelope of a function's response in the Supabase API; absent members are omitted, not null.
struct Envelope<Value: Encodable & Sendable>: Encodable, Sendable {
    /// The metadata of the response.
    struct Meta: Encodable, Sendable {
        let requestID: String
        var page: Int?
        var perPage: Int?
        var total: Int?
        var totalPages: Int?
        var hasMore: Bool?

        enum CodingKeys: String, CodingKey {
            case requestID = "request_id"
            case page
            case perPage = "per_page"
            case total
            case totalPages = "total_pages"
            case hasMore = "has_more"
        }
    }

    let success = true
    let data: Value
    let meta: Meta

    enum CodingKeys: String, CodingKey {
        case success, data, meta
    }

    init(_ data: Value, requestID: String) {
        self.data = data
        self.meta = Meta(requestID: requestID)
    }

    /// Wraps one page of a list with the page's metadata.
    init<Item>(_ rows: [Item], of total: Int, part: OffsetQuery, requestID: String) where Value == [Item] {
        self.data = rows
        self.meta = Meta(
            requestID: requestID,
            page: part.page,
            perPage: part.request.limit,
            total: total,
            totalPages: (total + part.request.limit - 1) / part.request.limit,
            hasMore: part.request.offset + rows.count < total
        )
    }
}

/// The part of a list that a request selects by `page` or by `offset`.
struct OffsetQuery: Sendable {
    let request: OffsetRequest
    /// The number of the page, counted from 1.
    let page: Int

    /// Reads `limit` and `offset`.
    static func offset(_ request: Request, limit fallback: Int) throws -> OffsetQuery {
        let limit = try request.number("limit", in: 1...100) ?? fallback
        let offset = try request.number("offset", in: 0...OffsetRequest.maximumOffset) ?? 0
        return OffsetQuery(request: OffsetRequest(limit: limit, offset: offset), page: offset / limit + 1)
    }

    /// Reads `page` and `limit`.
    static func page(_ request: Request) throws -> OffsetQuery {
        let limit = try request.number("limit", in: 1...100) ?? 20
        let page = try request.number("page", in: 1...(OffsetRequest.maximumOffset / limit + 1)) ?? 1
        return OffsetQuery(request: OffsetRequest(limit: limit, offset: (page - 1) * limit), page: page)
    }
}

extension Request {
    /// Returns a whole number from the query.
    fileprivate func number(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = try self.query(name) else { return nil }
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(text), range.contains(number)
        else {
            let rule = "must be a number from \(range.lowerBound) to \(range.upperBound)"
            throw Problem.parameter(name, rule, Received(text))
        }
        return number
    }
}
