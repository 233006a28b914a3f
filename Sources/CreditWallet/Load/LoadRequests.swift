import Foundation
import NIOCore

/// Writes requests, of pieces that were put together before.
struct LoadRequests: Sendable {
    private let tokens: [String]
    private let host: String
    private let keyPrefix: String
    /// What follows the key, for each class.
    private let ends: [String]

    init(_ plan: LoadPlan, _ material: LoadFixtures) {
        self.tokens = material.tokens
        self.host = " HTTP/1.1\r\nHost: \(plan.target.authority)\r\nAuthorization: Bearer "
        self.keyPrefix = "\r\nContent-Type: application/json\r\nIdempotency-Key: \(plan.keyPrefix)"
        self.ends = material.classes.map { id in
            let body = #"{"class_id":"\#(id)"}"#
            return "\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
    }

    /// Writes the request for a step.
    func write(_ step: LoadStep, into buffer: inout ByteBuffer) {
        buffer.clear()
        switch step.kind {
        case .booking:
            buffer.writeStaticString("POST /bookings")
            buffer.writeString(self.host)
            buffer.writeString(self.tokens[step.pick.user])
            buffer.writeString(self.keyPrefix)
            buffer.writeString(String(step.number))
            buffer.writeString(self.ends[step.pick.classIndex])
        case .cancellation(let booking):
            buffer.writeString("POST /bookings/\(booking.uuidString.lowercased())/cancel")
            buffer.writeString(self.host)
            buffer.writeString(self.tokens[step.pick.user])
            buffer.writeStaticString("\r\nContent-Length: 0\r\n\r\n")
        case .read(let read):
            buffer.writeString("GET \(read.path)")
            buffer.writeString(self.host)
            buffer.writeString(self.tokens[step.pick.user])
            buffer.writeStaticString("\r\n\r\n")
        }
    }
}

/// One request of the load.
struct LoadStep: Sendable {
    enum Kind: Sendable {
        case booking
        case cancellation(of: UUID)
        case read(LoadRead)
    }

    let kind: Kind
    /// The number of the booking within the run; of a read, how many bookings were sent before it.
    let number: Int
    let pick: LoadPicker.Pick
    /// When it was to be sent: waiting for a free connection counts.
    let intended: NIODeadline
    /// When it was.
    let sent: NIODeadline
}
