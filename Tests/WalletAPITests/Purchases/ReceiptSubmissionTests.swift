import Foundation
import Testing

@testable import WalletAPI

@Suite struct ReceiptSubmissionTests {
    /// Reading a structure of two megabytes value by value takes seconds; a number that no type holds shows who does.
    @Test(arguments: ["receipt", "signed_transaction", "app_transaction"])
    func `what should be a text and is none is refused without being looked into`(member: String) throws {
        let body = Data("{\"store\": \"app_store\", \"\(member)\": [1e999]}".utf8)
        let submission = try WireJSON.decoder.decode(ReceiptSubmission.self, from: body)
        let problem = #expect(throws: Problem.self) { try submission.proof(restoring: true) }
        #expect(problem?.slug == "malformed-request")
    }

    @Test func `of too many signed transactions only so many are read as it takes to refuse them`() throws {
        let list = Array(repeating: "\"a\"", count: ReceiptSubmission.maximumTransactions + 1) + ["1e999"]
        let body = Data("{\"store\": \"app_store\", \"signed_transactions\": [\(list.joined(separator: ","))]}".utf8)
        let submission = try WireJSON.decoder.decode(ReceiptSubmission.self, from: body)
        #expect(throws: Problem.self) { try submission.proof(restoring: true) }
    }
}
