import Foundation
import NIOCore

/// The parts of an HTTP response that the load generator needs.
///
/// It is parsed directly from the received bytes. A full parser would cost more than the rest of the generator, which
/// may share its processors with the measured service.
struct LoadAnswer: Sendable, Equatable {
    let status: Int
    /// The last part of the problem's type; nil for a success.
    let slug: String?
    let bookingID: UUID?
    /// A Boolean value that indicates whether the server closes the connection after the response.
    let closes: Bool

    var isSuccess: Bool { (200..<300).contains(self.status) }

    /// The received bytes are not an HTTP/1.1 response with a Content-Length.
    struct Unreadable: Error {}

    /// Parses a response at the start of the received bytes.
    ///
    /// - Parameter buffer: The received bytes; the parsed response is removed from them.
    /// - Returns: The response; nil if it is incomplete.
    /// - Throws: ``Unreadable``.
    static func take(from buffer: inout ByteBuffer) throws -> LoadAnswer? {
        let taken = try buffer.withUnsafeReadableBytes(Self.read)
        guard let (answer, size) = taken else { return nil }
        buffer.moveReaderIndex(forwardBy: size)
        return answer
    }

    private static func read(_ bytes: UnsafeRawBufferPointer) throws -> (answer: LoadAnswer, size: Int)? {
        guard let end = bytes.offset(of: "\r\n\r\n") else {
            guard bytes.count < 65_536 else { throw Unreadable() }
            return nil
        }
        let head = UnsafeRawBufferPointer(rebasing: bytes[..<end])
        guard head.starts(with: "HTTP/1.1 ".utf8), let status = head.number(at: 9) else { throw Unreadable() }
        let length = head.field("\r\ncontent-length:").flatMap(head.number(at:))
        guard let length = length ?? (status == 204 ? 0 : nil), length <= 16_777_216 else { throw Unreadable() }
        let size = end + 4 + length
        guard bytes.count >= size else { return nil }
        let body = UnsafeRawBufferPointer(rebasing: bytes[(end + 4)..<size])
        let isSuccess = (200..<300).contains(status)
        let answer = LoadAnswer(
            status: status,
            slug: isSuccess ? nil : body.text(of: "\"type\"")?.split(separator: "/").last.map(String.init),
            bookingID: isSuccess ? body.text(of: "\"booking_id\"").flatMap(UUID.init(uuidString:)) : nil,
            closes: head.field("\r\nconnection:").map { head.value(at: $0, is: "close") } ?? false
        )
        return (answer, size)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func offset(of text: StaticString, from start: Int = 0) -> Int? {
        guard let base = self.baseAddress else { return nil }
        let size = text.utf8CodeUnitCount
        var from = start
        while from + size <= self.count {
            let found = memchr(base + from, Int32(text.utf8Start.pointee), self.count - size - from + 1)
            guard let found = UnsafeRawPointer(found) else { return nil }
            if memcmp(found, text.utf8Start, size) == 0 { return found - base }
            from = found - base + 1
        }
        return nil
    }

    /// Returns the position of a field's value; the name is in lower case and begins with the line break.
    fileprivate func field(_ name: StaticString) -> Int? {
        var from = 0
        while let line = self.offset(of: "\r\n", from: from) {
            if self.value(at: line, is: name) { return self.pastSpaces(line + name.utf8CodeUnitCount) }
            from = line + 2
        }
        return nil
    }

    /// Compares the bytes at a position with a lower-case text, ignoring case.
    fileprivate func value(at start: Int, is text: StaticString) -> Bool {
        guard start + text.utf8CodeUnitCount <= self.count else { return false }
        return (0..<text.utf8CodeUnitCount).allSatisfy { index in
            let byte = self[start + index]
            let lower = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
            return lower == text.utf8Start[index]
        }
    }

    fileprivate func number(at start: Int) -> Int? {
        let digits = self[start...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...9).contains(digits.count) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private func pastSpaces(_ start: Int) -> Int {
        start + self[start...].prefix { $0 == UInt8(ascii: " ") }.count
    }

    /// Returns the first text member with a name; the name includes its quotes.
    fileprivate func text(of member: StaticString) -> String? {
        guard let name = self.offset(of: member),
            let opening = self.offset(of: "\"", from: name + member.utf8CodeUnitCount),
            let closing = self.offset(of: "\"", from: opening + 1)
        else { return nil }
        return String(decoding: self[(opening + 1)..<closing], as: UTF8.self)
    }
}
