import Foundation
import HTTPTypes
import JOSE
import JSON
import TestSupport
import Testing

/// Tests that no text stops the process: Foundation's decoder does so for some malformed texts and some numbers.
@Suite(.database) struct ExternalJSONTests {
    private static let depths = [33, 511, 512, 513, 514, 5_000]

    private static func open(_ depth: Int) -> String { String(repeating: "[", count: depth) }

    private static func wide(_ text: String) -> Data {
        Data(text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
    }

    @Test(arguments: depths) func `open brackets are refused, in every encoding`(depth: Int) {
        let starts = ["", "[\"\u{2200}\",", "{\"a\":", "[\"\\uaaa\\\",", "[\"\\\"\\\\\",", "[\"\\u\",", "[\"\\x\","]
        let texts = starts.map { $0 + Self.open($0.isEmpty ? depth : depth - 1) }
        for text in texts {
            for json in [Data(text.utf8), Self.wide(text), Data([0xFF, 0xFE]) + Self.wide(text)] {
                #expect(throws: DecodingError.self) { try JSONDecoder().decode(JSONValue.self, external: json) }
            }
        }
    }

    @Test func `JSON in UTF-8 is read up to the maximum depth`() throws {
        let depth = JSONFlaw.maximumDepth
        let deepest = Self.open(depth) + String(repeating: "]", count: depth)
        #expect(throws: Never.self) { try JSONDecoder().decode(JSONValue.self, external: Data(deepest.utf8)) }
        let text = try JSONDecoder().decode([String].self, external: Data("[\"\u{2200}[[[\", \"\\u0000\"]".utf8))
        #expect(text == ["\u{2200}[[[", "\0"])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Int].self, external: Self.wide("[1]")) }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Int].self, external: Data()) }
    }

    @Test func `JSON is valid or has a flaw, as RFC 8259 says`() {
        let valid = [
            "0", "-0", "12", "-1.50", "1e2", "1E+10", "0.0e-0", "true", "false", "null", "\"\"", " [ ] ", "{}",
            "[1,[2],{}]", "{\"a\" : 1 , \"b\":[{\"c\":\"\\u00e9\\n\\\\\\\"\"}]}\n", "\u{FEFF}{\"a\":1}",
            String(repeating: "9", count: 100),
        ]
        for text in valid { #expect(JSONFlaw(in: text.utf8) == nil, "\(text)") }
        let malformed = [
            "", " ", "01", "1.", ".5", "+1", "-", "1e", "1e+", "0x1", "NaN", "tru", "nul", "truee", "'a'", "1 2", "\0",
            "1\0", "\"", "\"a", "\"\\", "\"\\u12\"", "\"\\u12g4\"", "\"\\a\"", "\"\n\"", "[", "]", "[1", "[1,", "[1,]",
            "[,1]", "[1 2]", "[1}", "[1]x", "[] []", "[\u{A0}1]", "{", "{1:2}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
            "{\"a\":1]", "{\"a\" 1}", "{,}",
        ]
        for text in malformed { #expect(JSONFlaw(in: text.utf8) == .syntax, "\(text)") }
        #expect(JSONFlaw(in: (String(repeating: "9", count: 101)).utf8) == .number)
        #expect(JSONFlaw(in: "[1,-0.\(String(repeating: "0", count: 100))]".utf8) == .number)
        #expect(JSONFlaw(in: (Self.open(32) + "1").utf8) == .syntax)
        #expect(JSONFlaw(in: (Self.open(33) + "1").utf8) == .depth)
    }

    /// Numbers that are whole as `Double`, and that Foundation's decoder does not survive as integers.
    private static let numbers = [
        "0.\(String(repeating: "0", count: 130))1e149", "1\(String(repeating: "0", count: 273))e-255",
    ]

    @Test(arguments: numbers) func `long numbers are refused`(number: String) async throws {
        let list = Data("[\(number)]".utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Int64].self, external: list) }
        let claims = Data("{\"data\":{\"appAppleId\":\(number)}}".utf8).base64URL
        try await ServerHarness.withDatabase { server in
            let message = try await server.send(
                .post,
                "/webhooks/app-store",
                json: ["signedPayload": "e30.\(claims).AA"]
            )
            #expect(message.status == 401)
            let body = "{\"class_id\":\"pottery\",\"seats\":\(number)}"
            let headers = ["Idempotency-Key": "key"]
            let answer = try await server.send(.post, "/bookings", as: "ann", headers: headers, body: body)
            #expect(answer.status == 400)
            let detail = try answer.json["detail"] as? String
            #expect(detail == "A number in the body must not have more than 100 characters.")
            #expect(try await server.send(.get, "/balance", as: "ann").status == 200)
        }
    }

    @Test(arguments: depths)
    func `tokens, receipts and messages of open brackets are refused`(depth: Int) async throws {
        let brackets = Data(Self.open(depth).utf8).base64URL
        let hidden = Data(("[\"\\uaaa\\\"," + Self.open(depth - 1)).utf8).base64URL
        let object = Data(("{\"a\":" + Self.open(depth - 1)).utf8)
        try await ServerHarness.withDatabase { server in
            let texts = [brackets, hidden, object.base64URL]
            for token in texts.flatMap({ ["\($0).e30.AA", "e30.\($0).AA", "\($0).\($0).AA"] }) {
                #expect(try await server.send(.get, "/balance", token: token).status == 401)
                #expect(try await server.send(.get, "/operator/users", token: token).status == 401)
                let message = try await server.send(.post, "/webhooks/app-store", json: ["signedPayload": token])
                #expect(message.status == 401)
                let receipt = ["store": "app_store", "receipt": token]
                let answer = try await server.send(.post, "/receipts", as: "ann", json: receipt)
                #expect(answer.status == 400, "\(answer)")
            }
            for body in [Self.open(depth), String(decoding: object, as: UTF8.self)] {
                for path in ["/webhooks/app-store", "/webhooks/revenuecat", "/webhooks/google-play"] {
                    #expect((400..<500).contains(try await server.send(.post, path, body: body).status))
                }
                #expect(try await server.send(.post, "/bookings", as: "ann", body: body).status == 400)
            }
            let receipt = ["store": "app_store", "receipt": object.base64EncodedString()]
            #expect(try await server.send(.post, "/receipts", as: "ann", json: receipt).status == 422)
            #expect(try await server.send(.get, "/balance", as: "ann").status == 200)
        }
    }
}
