import Foundation
import NIOCore

/// Writes requests from prepared parts.
struct LoadRequests: Sendable {
    private let tokens: [String]
    private let host: String
    private let keyPrefix: String
    /// The part of the request after the key, for each class.
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

    /// Writes the request of a step.
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

/// A request of the load.
struct LoadStep: Sendable {
    enum Kind: Sendable {
        case booking
        case cancellation(of: UUID)
        case read(LoadRead)
    }

    let kind: Kind
    /// The booking's number within the run; for a read, the number of bookings sent before it.
    let number: Int
    let pick: LoadPicker.Pick
    /// The scheduled time; the latency includes the wait for an idle connection.
    let intended: NIODeadline
    /// The time at which the request was sent.
    let sent: NIODeadline
}
