import Foundation
import Testing

@testable import Wallet
@testable import WalletAPI

/// Tests that the hand-written response encoding matches that of `JSONEncoder`.
@Suite struct BookingAnswerTests {
    private static let titles = [
        "Yoga", "Pilates & \"Stretch\"", "Über/flow \\ 🧘", "line\nbreak\u{7F}\u{2028}", "\r\t\u{8}\u{C}\u{1}\u{1F}", "",
    ]

    @Test(arguments: titles) func `a booking is encoded as by JSONEncoder`(title: String) throws {
        for unit in [CreditUnit.credit, .visit, nil] {
            for cancelled in [false, true] {
                let receipt = BookingResult(
                    booking: Self.booking(title, unit, cancelled),
                    balance: BalanceSummary(credits: 12, visits: 0, version: 9_000_000_000),
                    replayed: false
                )
                let expected = try WireJSON.encoder.encode(ExpectedReceipt(receipt: receipt))
                let written = String(decoding: receipt.json().bytes, as: UTF8.self)
                #expect(written == String(decoding: expected, as: UTF8.self))
            }
        }
    }

    private static func booking(_ title: String, _ unit: CreditUnit?, _ cancelled: Bool) -> Booking {
        let at = Date(timeIntervalSince1970: 1_795_000_000.75)
        let slices = [LotSlice(lotID: UUID(), amount: 2), LotSlice(lotID: UUID(), amount: 1)]
        return Booking(
            bookingID: UUID(),
            classID: "yoga.1:a_b-c",
            classTitle: title,
            startsAt: at,
            status: cancelled ? "cancelled" : "booked",
            seats: 3,
            unit: unit,
            amount: unit == nil ? 0 : 3,
            slices: unit == nil ? [] : slices,
            confirmationCode: "HB12345678",
            cancellation: Booking.Cancellation(freeUntil: at, freeMinutesBefore: 1_440),
            createdAt: at,
            cancelledAt: cancelled ? at : nil,
            lateCancel: cancelled,
            cancelledBy: cancelled ? "studio" : nil,
            returned: cancelled ? Booking.Returned(unit: unit, amount: 0) : nil,
            moved: cancelled,
            fromWaitlist: !cancelled,
            attendance: cancelled ? "no_show" : "unmarked",
            fee: cancelled ? 7 : 0,
            strike: cancelled
        )
    }
}

/// The members of the response, written by `JSONEncoder`.
private struct ExpectedReceipt: Encodable {
    let receipt: BookingResult

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Name.self)
        try members.encode(self.receipt.balance, forKey: "balance")
        let booking = self.receipt.booking
        var inner = members.nestedContainer(keyedBy: Name.self, forKey: "booking")
        try inner.encode(booking.bookingID.wireText, forKey: "booking_id")
        try inner.encode(booking.classID, forKey: "class_id")
        try inner.encode(booking.classTitle, forKey: "class_title")
        try inner.encode(booking.startsAt, forKey: "starts_at")
        try inner.encode(booking.status, forKey: "status")
        try inner.encode(booking.seats, forKey: "seats")
        try inner.encode(booking.unit, forKey: "unit")
        try inner.encode(booking.amount, forKey: "amount")
        try inner.encode(booking.slices, forKey: "slices")
        try inner.encode(booking.confirmationCode, forKey: "confirmation_code")
        try inner.encode(booking.createdAt, forKey: "created_at")
        try inner.encode(booking.cancelledAt, forKey: "cancelled_at")
        try inner.encode(booking.lateCancel, forKey: "late_cancel")
        try inner.encode(booking.cancelledBy, forKey: "cancelled_by")
        try inner.encode(booking.moved, forKey: "moved")
        try inner.encode(booking.fromWaitlist, forKey: "from_waitlist")
        try inner.encode(booking.attendance, forKey: "attendance")
        try inner.encode(booking.fee, forKey: "fee")
        try inner.encode(booking.strike, forKey: "strike")
        var cancellation = inner.nestedContainer(keyedBy: Name.self, forKey: "cancellation")
        try cancellation.encode(booking.cancellation.freeUntil, forKey: "free_until")
        try cancellation.encode(booking.cancellation.freeMinutesBefore, forKey: "free_minutes_before")
        guard let returned = booking.returned else { return try inner.encodeNil(forKey: "returned") }
        var amount = inner.nestedContainer(keyedBy: Name.self, forKey: "returned")
        try amount.encode(returned.unit, forKey: "unit")
        try amount.encode(returned.amount, forKey: "amount")
    }

    private struct Name: CodingKey, ExpressibleByStringLiteral {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringLiteral value: String) { self.stringValue = value }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
