import Foundation
import NIOCore
import Wallet

/// Writes events as the HTML standard's section on server-sent events has them.
enum ServerSentEvent {
    /// How long a client waits before it connects again, in milliseconds.
    private static let retry = 5_000

    /// What a stream begins with.
    static let opening = ByteBuffer(string: "retry: \(Self.retry)\n\n")
    /// A comment, which says nothing but that the stream lives.
    static let heartbeat = ByteBuffer(string: ": keep-alive\n\n")

    /// Carries a balance, under the tag that `GET /balance` gives it.
    static func balance(_ balance: Balance) throws -> ByteBuffer {
        var buffer = ByteBuffer(string: "id: \(balance.entityTag)\nevent: balance\ndata: ")
        // On one line: the encoder escapes line breaks within texts and writes none itself.
        buffer.writeBytes(try WireJSON.encoder.encode(balance))
        buffer.writeString("\n\n")
        return buffer
    }
}
