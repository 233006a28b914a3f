import Foundation
import Hummingbird
import NIOCore
import Wallet

/// Answers with a booking, written member by member.
///
/// It is the answer that there are most of, and `JSONEncoder` takes longer for it than all else that is done with it
/// here. The members, their order and their form are those of ``JSONAnswer``.
struct BookingAnswer: ResponseGenerator {
    let receipt: BookingReceipt
    var status: HTTPResponse.Status = .ok
    var headers: HTTPFields = [:]

    func response(from request: Request, context: some RequestContext) throws -> Response {
        let body = ByteBuffer(string: try self.receipt.json())
        var headers = self.headers
        headers[.contentType] = "application/json"
        headers[.contentLength] = String(body.readableBytes)
        return Response(status: self.status, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}

extension BookingReceipt {
    /// The receipt as JSON.
    func json() throws -> String {
        try """
        {"balance":{"credits":\(self.balance.credits),"version":\(self.balance.version),\
        "visits":\(self.balance.visits)},"booking":\(self.booking.json())}
        """
    }
}

extension Booking {
    /// The booking as JSON.
    func json() throws -> String {
        try """
        {"amount":\(self.amount),"booking_id":"\(self.bookingID.wireText)",\
        "cancellation":{"free_minutes_before":\(self.cancellation.freeMinutesBefore),\
        "free_until":"\(WireJSON.text(self.cancellation.freeUntil))"},\
        "cancelled_at":\(Self.quoted(self.cancelledAt.map(WireJSON.text))),\
        "cancelled_by":\(Self.quoted(self.cancelledBy)),"class_id":\(Self.quoted(self.classID)),\
        "class_title":\(Self.quoted(self.classTitle)),"confirmation_code":"\(self.confirmationCode)",\
        "created_at":"\(WireJSON.text(self.createdAt))","from_waitlist":\(self.fromWaitlist),\
        "late_cancel":\(self.lateCancel),"moved":\(self.moved),"returned":\(self.returnedJSON()),"seats":\(self.seats),\
        "slices":[\(self.slicesJSON)],"starts_at":"\(WireJSON.text(self.startsAt))","status":\(Self.quoted(self.status)),\
        "unit":\(Self.quoted(self.unit?.rawValue))}
        """
    }

    private func returnedJSON() throws -> String {
        guard let returned = self.returned else { return "null" }
        return try "{\"amount\":\(returned.amount),\"unit\":\(Self.quoted(returned.unit?.rawValue))}"
    }

    private var slicesJSON: String {
        self.slices.map { "{\"amount\":\($0.amount),\"lot_id\":\"\($0.lotID.wireText)\"}" }.joined(separator: ",")
    }

    /// Writes a text between quotes; one that needs more than that is left to the encoder.
    private static func quoted(_ text: String?) throws -> String {
        guard let text else { return "null" }
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) { return "\"\(text)\"" }
        return String(decoding: try WireJSON.encoder.encode(text), as: UTF8.self)
    }
}
