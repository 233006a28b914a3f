import Foundation
import Hummingbird
import NIOCore
import Wallet

/// A response with a booking and the balance after it.
struct BookingAnswer: ResponseGenerator {
    let receipt: BookingReceipt
    var status: HTTPResponse.Status = .ok
    var headers: HTTPFields = [:]

    func response(from request: Request, context: some RequestContext) throws -> Response {
        let body = ByteBuffer(bytes: try self.receipt.json().bytes)
        var headers = self.headers
        headers[.contentType] = "application/json"
        headers[.contentLength] = String(body.readableBytes)
        return Response(status: self.status, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}

extension BookingReceipt {
    /// The receipt as JSON.
    func json() throws -> WireText {
        try """
        {"balance":{"credits":\(self.balance.credits),"version":\(self.balance.version),\
        "visits":\(self.balance.visits)},"booking":\(self.booking.json())}
        """
    }
}

extension Booking {
    /// The booking as JSON.
    func json() throws -> WireText {
        try """
        {"amount":\(self.amount),"booking_id":\(self.bookingID),\
        "cancellation":{"free_minutes_before":\(self.cancellation.freeMinutesBefore),\
        "free_until":\(self.cancellation.freeUntil)},"cancelled_at":\(self.cancelledAt),\
        "cancelled_by":\(self.cancelledBy),"class_id":\(self.classID),"class_title":\(self.classTitle),\
        "confirmation_code":\(self.confirmationCode),"created_at":\(self.createdAt),\
        "from_waitlist":\(self.fromWaitlist),"late_cancel":\(self.lateCancel),"moved":\(self.moved),\
        "returned":\(self.returned.map { try $0.json() } ?? "null"),"seats":\(self.seats),\
        "slices":\(list: self.slices, { $0.json() }),"starts_at":\(self.startsAt),"status":\(self.status),\
        "unit":\(self.unit?.rawValue)}
        """
    }
}

extension Booking.Returned {
    fileprivate func json() throws -> WireText {
        try "{\"amount\":\(self.amount),\"unit\":\(self.unit?.rawValue)}"
    }
}

extension LotSlice {
    fileprivate func json() -> WireText { "{\"amount\":\(self.amount),\"lot_id\":\(self.lotID)}" }
}
