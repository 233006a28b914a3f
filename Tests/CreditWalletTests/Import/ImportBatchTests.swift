import CommandOutput
import Foundation
import Testing
import Wallet

@testable import CreditWallet

/// Tests of how sources are read as balances; every invalid row is reported.
@Suite struct ImportBatchTests {
    private let directory: TemporaryDirectory

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    @Test func `a file of balances reports its invalid lines by number`() throws {
        try self.directory.write(
            """
            user_id,credits,visits,at,reason
            anna,12,3,2024-06-30T10:00:00Z,"Card 7, paper"
            ben,5.00,,,
            cleo,0.5,,,
            dan,12
            ,1,,,
            eve,x,,,
            fay,1,,2024-07-01T00:00:01Z,
            gus,1,,yesterday,
            hal,1,,,
            hal,2,,,
            ida,-1,,,
            jon,,,,
            kim,1,1.5,,
            lea,1000000000000,,,
            mia,1,,,"open

            """,
            to: "balances.csv"
        )
        let batch = try ImportBatch(balances: "\(self.directory.path)/balances.csv", try self.rules())
        #expect(
            batch.texts == [
                "2: anna 12 3 2024-06-30T10:00:00Z Card 7, paper", "3: ben 5 0",
                "4: credits is not a whole number (0.5); use a larger --scale", "5: 2 values instead of 5",
                "6: user_id is empty", "7: credits must be a plain number such as 12 or 12.5; received \"x\"",
                "8: at is after the cut-over, 2024-07-01T00:00:00Z; received \"2024-07-01T00:00:01Z\"",
                "9: at must be an instant with a zone such as 2026-11-21T00:00:00Z; received \"yesterday\"",
                "10: the user occurs more than once", "11: the user occurs more than once", "12: ida -1 0",
                "13: credits is empty",
                "14: visits is not a whole number (1.5); use a larger --scale",
                "15: credits must be a plain number such as 12 or 12.5; received \"1000000000000\"",
                "16: unclosed quote; this line and the following ones were not read",
            ]
        )
    }

    /// The formats that Excel writes: semicolons where the comma is the decimal separator, and "Unicode text" in
    /// UTF-16.
    @Test(arguments: [",", ";", "\t"], [String.Encoding.utf8, .utf16LittleEndian, .utf16BigEndian])
    func `a spreadsheet file is read in its separator and encoding`(
        separator: String,
        encoding: String.Encoding
    ) throws {
        let text = "\u{FEFF}user_id,credits,reason\r\nanna,12,\"Käthe,\n5 \u{1F600}\"\r\nben,x,\r\n"
        let data = try #require(text.replacing(",", with: separator).data(using: encoding))
        try self.directory.write(data, to: "balances.csv")
        let batch = try ImportBatch(balances: "\(self.directory.path)/balances.csv", try self.rules())
        #expect(
            batch.texts == [
                "2: anna 12 0 Käthe\(separator)\n5 \u{1F600}",
                "4: credits must be a plain number such as 12 or 12.5; received \"x\"",
            ]
        )
    }

    @Test(arguments: [
        (Data("user_id;credits;visit\n".utf8), "received user_id, credits, visit"),
        (Data("user_id,credits,credits\n".utf8), "duplicate column credits"), (Data(), "is empty"),
        (Data("\"user_id".utf8), "line 1: unclosed quote"),
        (
            Data("user_id,credits\n".utf8).flatMap { [$0, 0] }.data,
            "save it as UTF-8, or as UTF-16 with a byte order mark"
        ),
        (Data([0xFF, 0xFE, 0x61]), "UTF-16"), (Data([0xFF, 0xFE, 0x00, 0xD8, 0x61, 0x00]), "UTF-16"),
    ])
    func `an unreadable file is refused with the reason`(bytes: Data, reason: String) throws {
        try self.directory.write(bytes, to: "balances.csv")
        let error = #expect(throws: CommandError.self) {
            try ImportBatch(balances: "\(self.directory.path)/balances.csv", try self.rules())
        }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }

    @Test func `a decimal comma and control characters are reported as received`() throws {
        try self.directory.write("user_id;credits;at\nanna;12,5;\nben;\u{1B}[2J;\n", to: "balances.csv")
        let texts = try ImportBatch(balances: "\(self.directory.path)/balances.csv", try self.rules()).texts
        #expect(
            texts == [
                "2: credits must be a plain number such as 12 or 12.5; received \"12,5\"",
                "3: credits must be a plain number such as 12 or 12.5; received \"\u{FFFD}[2J\"",
            ]
        )
    }

    @Test func `a scale makes fractions whole, a prefix turns user ids into the issuer's`() throws {
        try self.directory.write("credits,visits,user_id\n0.5,1,anna\n-1.25,0,ben\n", to: "balances.csv")
        let rules = try self.rules(scale: 4, userPrefix: "app|")
        let batch = try ImportBatch(balances: "\(self.directory.path)/balances.csv", rules)
        #expect(batch.texts == ["2: app|anna 2 1", "3: app|ben -5 0"])
    }

    @Test(arguments: ["", "user_id,visits\n", "user_id,credits,visit\n", "user_id,credits,credits\n", "\"user_id"])
    func `a file with other columns is refused`(text: String) throws {
        try self.directory.write(text, to: "balances.csv")
        #expect(throws: CommandError.self) {
            try ImportBatch(balances: "\(self.directory.path)/balances.csv", try self.rules())
        }
        #expect(throws: CommandError.self) { try ImportBatch(balances: "/nowhere.csv", try self.rules()) }
    }

    @Test func `balances with signed movements`() throws {
        try self.export(
            "id,user_id,credit_balance,total_earned,updated_at\n1,a,15,20,2024-03-01 00:00:00.5+00\n2,b,0.5,,\n3,,1,,\n4,d,1\n",
            """
            user_id,transaction_type,credit_amount,balance_after,description,created_at
            a,spend,-5,15,Pottery,2024-02-01 10:00:00+00
            a,purchase,20,20,,2024-01-01 10:00:00+00
            a,refund,0,15,nothing moved,2024-02-02 10:00:00+00
            c,bonus,1,1,,2024-01-01 10:00:00+00

            """
        )
        #expect(
            try self.exported().texts == [
                "2: a 15 0 2024-03-01T00:00:00.5+00 "
                    + "[2024-02-01T10:00:00+00 -5 spend Pottery, 2024-01-01T10:00:00+00 20 purchase]",
                "3: the balance is not a whole number (0.5); use a larger --scale", "4: user_id is empty",
                "5: 3 values instead of 5", "-: 1 transactions, but no row in user_credits",
            ]
        )
    }

    @Test func `two spellings of a UUID are one user, similar ids are two users`() throws {
        let id = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"
        try self.directory.write(
            "user_id,credits\n\(id),1\n\(id.uppercased()),2\nus\u{E9}r,3\nuse\u{301}r,4\n",
            to: "balances.csv"
        )
        let texts = try ImportBatch(balances: "\(self.directory.path)/balances.csv", try self.rules()).texts
        #expect(texts.count == 4)
        #expect(texts[0] == "2: the user occurs more than once")
        #expect(texts[1] == "3: the user occurs more than once")
        #expect(texts[2].utf8.elementsEqual("4: us\u{E9}r 3 0".utf8))
        #expect(texts[3].utf8.elementsEqual("5: use\u{301}r 4 0".utf8))

        try self.export(
            "user_id,credit_balance\n\(id.uppercased()),1\nus\u{E9}r,2\n",
            """
            user_id,type,amount,created_at
            \(id),bonus,1,2024-01-01T00:00:00Z
            use\u{301}r,bonus,2,2024-01-01T00:00:00Z

            """
        )
        #expect(
            try self.exported().texts == [
                "2: \(id) 1 0 [2024-01-01T00:00:00Z 1 bonus]", "3: us\u{E9}r 2 0",
                "-: 1 transactions, but no row in user_credits",
            ]
        )
    }

    @Test func `a history with an unreadable line is refused`() throws {
        let header = "user_id,type,amount,created_at\n"
        try self.export("user_id,credit_balance\na,1\n", header + "a,bonus,1\n")
        let error = #expect(throws: CommandError.self) { try self.exported() }
        #expect(error?.message == "credit_transactions.csv: line 2: 3 values instead of 4. Nothing was imported.")
    }

    @Test(arguments: ["transaction_type", "type"])
    func `balances of credits given and used, and movements signed by their type`(type: String) throws {
        try self.export(
            """
            user_id,total_credits,used_credits,rollover_credits,updated_at
            a,40,12.5,2,2024-03-01T00:00:00Z
            b,10,12,3,
            c,10,,3,
            d,1,1,,
            """,
            """
            user_id,\(type),amount,credits_amount,description,created_at
            a,use,0,12.5,,2024-01-02 00:00:00
            a,purchase,25.00,40,Pack,2024-01-01 00:00:00
            a,insurance_claim,3.00,,,2024-01-03 00:00:00
            b,expire,0,-2,,2024-01-01 00:00:00
            d,bonus,0,1,,2024-07-01 00:00:01
            """
        )
        #expect(
            try self.exported(scale: 2).texts == [
                "2: a 59 0 2024-03-01T00:00:00Z [2024-01-02T00:00:00Z -25 use, 2024-01-01T00:00:00Z 80 purchase Pack]",
                "3: b 6 0 [2024-01-01T00:00:00Z -4 expire]", "4: used_credits is empty",
                "5: transaction of line 6: created_at is after the cut-over, 2024-07-01T00:00:00Z; "
                    + "received \"2024-07-01 00:00:01\"",
            ]
        )
    }

    @Test(arguments: [
        ("user_id,credits\n", "user_id,type,amount,created_at\n"),
        ("user_id,credit_balance\n", "user_id,type,created_at\n"),
        ("user_id,total_credits\n", "user_id,type,amount,created_at\n"),
        ("credit_balance\n", "user_id,type,amount,created_at\n"), ("user_id,credit_balance\n", "user_id,type,amount\n"),
    ])
    func `tables with other columns are refused`(balances: String, transactions: String) throws {
        try self.export(balances, transactions)
        #expect(throws: CommandError.self) { try self.exported() }
    }

    @Test(arguments: [
        ("0", "0"), ("-0.50", "-0.5"), ("12.000000000", "12"), ("000000000012.345678", "12.345678"),
        ("999999999999.999999", "999999999999.999999"), ("10", "10"), ("0.000001", "0.000001"),
    ])
    func `numbers are exact`(text: String, expected: String) throws {
        #expect(try #require(ImportAmount(text)).description == expected)
    }

    @Test(arguments: [
        "", "-", ".5", "5.", "1e3", "+1", "0x1", "1,5", " 1", "1000000000000", "0.0000001", "--1", "\u{0663}", "NaN",
    ])
    func `text that is not a plain number is refused`(text: String) {
        #expect(ImportAmount(text) == nil)
    }

    @Test func `a scale does not overflow`() throws {
        let amount = try #require(ImportAmount("999999999999"))
        #expect(throws: ImportRefusal("it is too large")) { try amount.whole(times: 1_000_000, of: "it") }
    }

    private func rules(scale: Int64 = 1, userPrefix: String = "") throws -> ImportBatch.Rules {
        let cutOver = try #require(ImportInstant("2024-07-01T00:00:00Z"))
        return ImportBatch.Rules(scale: scale, userPrefix: userPrefix, cutOver: cutOver)
    }

    private func export(_ balances: String, _ transactions: String) throws {
        try self.directory.write(balances, to: "user_credits.csv")
        try self.directory.write(transactions, to: "credit_transactions.csv")
    }

    private func exported(scale: Int64 = 1) throws -> ImportBatch {
        try ImportBatch(hobbyApp: self.directory.path, try self.rules(scale: scale))
    }
}

extension ImportBatch {
    /// A description of each row.
    fileprivate var texts: [String] {
        self.rows.map { row in
            let line = row.line.map(String.init) ?? "-"
            switch row.content {
            case .failure(let refusal): return "\(line): \(refusal.reason)"
            case .success(let balance): return "\(line): \(balance.text)"
            }
        }
    }
}

extension ImportedBalance {
    fileprivate var text: String {
        let history = self.movements.map { movement in
            ["\(movement.at.text) \(movement.amount) \(movement.kind)", movement.reason].compactMap(\.self)
                .joined(separator: " ")
        }
        return [
            "\(self.user.rawValue) \(self.credits) \(self.visits)", self.at?.text, self.reason,
            history.isEmpty ? nil : "[\(history.joined(separator: ", "))]",
        ].compactMap(\.self).joined(separator: " ")
    }
}

extension Sequence<UInt8> {
    fileprivate var data: Data { Data(self) }
}
