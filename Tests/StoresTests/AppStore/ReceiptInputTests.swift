import Foundation
import Testing

@testable import Stores

@Suite
struct ReceiptInputTests {
    private func code(_ text: String, maximumBytes: Int = 1_000) -> StoreError.Code? {
        do throws(StoreError) {
            _ = try ReceiptInput(text, maximumBytes: maximumBytes)
            return nil
        } catch {
            return error.code
        }
    }

    @Test
    func `all base64 forms of the same bytes have one hash and are sent in one form`() throws {
        // These bytes use both letters in which the base64 alphabets differ, and need padding.
        let bytes = Data([0xFB, 0xEF, 0xBE, 0xFF, 0xFE, 0x01, 0x02])
        let plain = bytes.base64EncodedString()
        #expect(plain == "++++//4BAg==")
        let variants = ["++++//4BAg==", "++++//4BAg", "----__4BAg==", "----__4BAg", "++++\r\n//4B\nAg=="]
        for variant in variants {
            let input = try ReceiptInput(variant, maximumBytes: 100)
            #expect(input.base64 == plain)
            #expect(input.sha256 == "ab2de65a61cea780383b402ab8a38bd1535e9f3c7507abb8afc163046320fce1")
        }
    }

    @Test
    func `the hash is that of the decoded bytes`() throws {
        let input = try ReceiptInput(Data("abc".utf8).base64EncodedString(), maximumBytes: 100)
        #expect(input.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test(arguments: [
        "", "=", "====", "a", "not base64!", "YWJj YWJj", "YWJj%2B", "\u{0}\u{0}", "Ærø", "YWJj=YWJj", "\n\n",
    ])
    func `text that is not base64 is malformed`(text: String) {
        #expect(self.code(text) == .malformedReceipt)
    }

    @Test(arguments: [
        "eyJhbGciOiJFUzI1NiJ9.eyJhIjoxfQ.c2lnbmF0dXJl", "[1,2]", "\"text\"", "{not json}", "<plist></plist>",
    ])
    func `other kinds of proof are malformed`(text: String) {
        #expect(self.code(text) == .malformedReceipt)
    }

    @Test
    func `a transaction's plain JSON is recognized, as text and in base64`() {
        let json = #"{"transactionId":"2000000123456789","productId":"com.example.credits.starter"}"#
        #expect(self.code(json) == .unsignedTransaction)
        #expect(self.code(" \n\(json)\n") == .unsignedTransaction)
        #expect(self.code(Data(json.utf8).base64EncodedString()) == .unsignedTransaction)
        #expect(self.code(Data("\n \(json)".utf8).base64EncodedString()) == .unsignedTransaction)
        #expect(self.code("{}") == .unsignedTransaction)
    }

    @Test
    func `an old-style receipt begins with a brace but is not JSON`() {
        let receipt = "{\n\t\"signature\" = \"QUJD\";\n\t\"purchase-info\" = \"QUJD\";\n}"
        #expect(self.code(Data(receipt.utf8).base64EncodedString()) == nil)
    }

    @Test
    func `the size limit counts the text as sent`() {
        let text = Data(repeating: 7, count: 75).base64EncodedString()
        #expect(text.utf8.count == 100)
        #expect(self.code(text, maximumBytes: 100) == nil)
        #expect(self.code(text, maximumBytes: 99) == .malformedReceipt)
    }

    @Test
    func `a malformed receipt is not sent to the store`() async throws {
        try await Sandbox.run { sandbox in
            let verifier = sandbox.verifier()
            #expect(await verifier.refusal(of: "{}")?.code == .unsignedTransaction)
            #expect(await verifier.refusal(of: "no!")?.code == .malformedReceipt)
            try await sandbox.expectCalls(production: 0, sandbox: 0)
        }
    }
}
