import Wallet

/// Encodes a page of bookings together with the waitlist: `{"bookings": […], "waitlist": […], "next_cursor": null}`.
struct BookingsAnswer: Encodable, Sendable {
    private let page: PagedAnswer<Booking>
    private let waitlist: [WaitlistPlace]

    private enum CodingKeys: CodingKey {
        case waitlist
    }

    init(_ page: Page<Booking>, waitlist: [WaitlistPlace]) {
        self.page = PagedAnswer("bookings", page)
        self.waitlist = waitlist
    }

    func encode(to encoder: any Encoder) throws {
        try self.page.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.waitlist, forKey: .waitlist)
    }
}
