import Wallet

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

    init(_ data: Value, requestID: String) {
        self.data = data
        self.meta = Meta(requestID: requestID)
    }

    enum CodingKeys: String, CodingKey {
        case success, data, meta
    }
}

extension Envelope {
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
