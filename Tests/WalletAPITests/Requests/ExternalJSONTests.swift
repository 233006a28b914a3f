import Foundation
import HTTPTypes
import JOSE
import JSON
import TestSupport
import Testing

/// Tests that a text of open brackets does not stop the process; Foundation's parser does if it is called.
@Suite(.database) struct ExternalJSONTests {
    private static let depths = [33, 511, 512, 513, 514, 5_000]

    private static func open(_ depth: Int) -> String { String(repeating: "[", count: depth) }

    private static func wide(_ text: String) -> Data {
        Data(text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
    }

    @Test(arguments: depths) func `open brackets are refused, in every encoding`(depth: Int) {
        let texts = [Self.open(depth), "[\"\u{2200}\"," + Self.open(depth - 1), "{\"a\":" + Self.open(depth - 1)]
        for text in texts {
            for json in [Data(text.utf8), Self.wide(text), Data([0xFF, 0xFE]) + Self.wide(text)] {
                #expect(throws: DecodingError.self) { try JSONDecoder().decode(JSONValue.self, external: json) }
            }
        }
    }

    @Test func `JSON in UTF-8 is read up to the maximum depth`() throws {
        let depth = JSONDepth.maximum
        let deepest = Self.open(depth) + String(repeating: "]", count: depth)
        #expect(throws: Never.self) { try JSONDecoder().decode(JSONValue.self, external: Data(deepest.utf8)) }
        let text = try JSONDecoder().decode([String].self, external: Data("[\"\u{2200}[[[\", \"\\u0000\"]".utf8))
        #expect(text == ["\u{2200}[[[", "\0"])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Int].self, external: Self.wide("[1]")) }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Int].self, external: Data()) }
    }

    @Test(arguments: depths)
    func `tokens, receipts and messages of open brackets are refused`(depth: Int) async throws {
        let brackets = Data(Self.open(depth).utf8).base64URL
        let object = Data(("{\"a\":" + Self.open(depth - 1)).utf8)
        try await ServerHarness.withDatabase { server in
            for token in ["\(brackets).e30.AA", "e30.\(brackets).AA", "\(object.base64URL).\(object.base64URL).AA"] {
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
