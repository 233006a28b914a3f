import Foundation
import Testing
import Wallet

@testable import WalletAPI

@Suite struct ReceiptSubmissionTests {
    /// Decoding a large structure value by value takes seconds; a number that no type can hold shows if it is decoded.
    @Test(arguments: ["receipt", "signed_transaction", "app_transaction"])
    func `a structure in place of a text is refused without decoding it`(member: String) throws {
        let body = Data("{\"store\": \"app_store\", \"\(member)\": [1e999]}".utf8)
        let submission = try WireJSON.decoder.decode(ReceiptSubmission.self, from: body)
        let problem = #expect(throws: Problem.self) { try submission.proof(restoring: true) }
        #expect(problem?.slug == "malformed-request")
    }

    @Test func `a list with too many signed transactions is decoded only up to the limit`() throws {
        let list = Array(repeating: "\"a\"", count: ReceiptSubmission.maximumTransactions + 1) + ["1e999"]
        let body = Data("{\"store\": \"app_store\", \"signed_transactions\": [\(list.joined(separator: ","))]}".utf8)
        let submission = try WireJSON.decoder.decode(ReceiptSubmission.self, from: body)
        #expect(throws: Problem.self) { try submission.proof(restoring: true) }
    }
}
