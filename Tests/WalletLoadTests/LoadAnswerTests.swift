import Foundation
import NIOCore
import Testing

@testable import WalletLoad

@Suite struct LoadAnswerTests {
    private static let id = "019aa4f2-0c1d-7a55-8e1e-6f4f1b0a9c11"

    private static func message(_ status: String, _ body: String, fields: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n\(fields)content-LENGTH: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test func `a booking is parsed when it is complete, and later bytes remain`() throws {
        let text = Self.message("201 Created", #"{"booking": {"booking_id" : "\#(Self.id)", "seats": 1}}"#)
        for size in 0..<text.utf8.count {
            var part = ByteBuffer(bytes: text.utf8.prefix(size))
            #expect(try LoadAnswer.take(from: &part) == nil)
            #expect(part.readableBytes == size)
        }

        var whole = ByteBuffer(string: text + "HTTP")
        let answer = try LoadAnswer.take(from: &whole)

        #expect(answer == LoadAnswer(status: 201, slug: nil, bookingID: UUID(uuidString: Self.id), closes: false))
        #expect(String(buffer: whole) == "HTTP")
    }

    @Test func `a refusal is identified by the end of its type`() throws {
        let body = #"{"type":"https://credit-wallet.example/problems/class-full","status":409,"booking_id":"no"}"#
        var bytes = ByteBuffer(string: Self.message("409 Conflict", body, fields: "connection: CLOSE\r\n"))

        let answer = try LoadAnswer.take(from: &bytes)

        #expect(answer == LoadAnswer(status: 409, slug: "class-full", bookingID: nil, closes: true))
    }

    @Test(
        arguments: [
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", "SSH-2.0-OpenSSH\r\n\r\n",
        ]
    )
    func `a response without a length, or not HTTP, is refused`(text: String) {
        var bytes = ByteBuffer(string: text)
        #expect(throws: LoadAnswer.Unreadable.self) { try LoadAnswer.take(from: &bytes) }
    }
}
