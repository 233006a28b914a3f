import Foundation
import NIOCore
import Wallet

/// Formats events as defined in the HTML standard's section on server-sent events.
enum ServerSentEvent {
    /// The number of milliseconds that a client waits before it reconnects.
    private static let retry = 5_000

    /// The first bytes of a stream.
    static let opening = ByteBuffer(string: "retry: \(Self.retry)\n\n")
    /// A comment that keeps the connection alive.
    static let heartbeat = ByteBuffer(string: ": keep-alive\n\n")

    /// Returns a balance event with the entity tag of `GET /balance` as its id.
    static func balance(_ balance: Balance) throws -> ByteBuffer {
        var buffer = ByteBuffer(string: "id: \(balance.entityTag)\nevent: balance\ndata: ")
        // The JSON is one line: the encoder escapes line breaks in texts and adds none.
        buffer.writeBytes(try WireJSON.encoder.encode(balance))
        buffer.writeString("\n\n")
        return buffer
    }
}
