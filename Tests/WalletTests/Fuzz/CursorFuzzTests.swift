import Foundation
import TestSupport
import Testing

@testable import Wallet

@Suite(.serialized) struct CursorFuzzTests {
    @Test func `cursors are parsed or refused as malformed`() async throws {
        let seeds = [
            Cursor.encode(["9223372036854775807"]), Cursor.encode(["-1"]), Cursor.encode([UUID().uuidString]),
            Cursor.encode(["2026-11-21T01:31:00Z", "pottery"]), Cursor.encode(["-9223372036854775808", "pottery"]), "",
            "====", "Zm9v",
        ]
        try await Fuzzer("cursors").run { random in
            // Half of the cases mutate the text inside the base64, because invalid base64 is refused before it is
            // parsed.
            guard random.chance(50) else { return FuzzBytes.mutated(Array(random.pick(seeds).utf8), &random) }
            let number = FuzzBytes.mutated(random.pick(["9223372036854775807", "-9223372036854775808"]), &random)
            return Array(Cursor.encode(random.chance(50) ? [number] : [number, "pottery"]).utf8)
        } check: { bytes in
            let cursor = String(decoding: bytes, as: UTF8.self)
            let page = PageRequest(limit: 20, cursor: cursor)
            let reads: [() throws -> Void] = [
                { _ = try page.cursorNumber() }, { _ = try page.cursorUUID() }, { _ = try page.cursorInstant() },
            ]
            for read in reads {
                do {
                    try read()
                } catch let error as WalletError {
                    guard error == Cursor.malformed(cursor) else {
                        throw FuzzFailure("an undocumented error: \(error)")
                    }
                }
            }
            _ = ImportInstant(String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test func `instants of other systems are parsed or refused`() async throws {
        let seeds = ["2026-11-21 01:31:00.123456+05:45", "1970-01-01T00:00:00Z", "9999-12-31 23:59:59-23:59"]
        try await Fuzzer("imported instants").run { random in
            Array(FuzzBytes.mutated(random.pick(seeds), &random).utf8)
        } check: { bytes in
            _ = ImportInstant(String(decoding: bytes, as: UTF8.self))
        }
    }
}
