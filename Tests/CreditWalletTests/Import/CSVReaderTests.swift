import Testing

@testable import CreditWallet

/// Tests of the reader of comma-separated values, as RFC 4180 defines them.
@Suite struct CSVReaderTests {
    @Test(arguments: [
        ("a,b\nc,d\n", [["a", "b"], ["c", "d"]]), ("a,b\r\nc,d", [["a", "b"], ["c", "d"]]),
        ("\"a\",\"b,c\"\n", [["a", "b,c"]]), ("\"say \"\"x\"\"\",\n", [["say \"x\"", ""]]),
        ("\"two\r\nlines\",b\n", [["two\r\nlines", "b"]]), (",,\n", [["", "", ""]]), (" a , b \n", [[" a ", " b "]]),
        ("a\n\nb\n", [["a"], [""], ["b"]]), ("\u{FEFF}ä,\"\u{1F600}\"", [["ä", "\u{1F600}"]]), ("a\rb\n", [["a\rb"]]),
        ("\"\"", [[""]]), ("", []), ("a;b\n1,5;c\n", [["a", "b"], ["1,5", "c"]]),
        ("a\tb\nc;d\t,", [["a", "b"], ["c;d", ","]]),
        ("a,b\nc;d,e\n", [["a", "b"], ["c;d", "e"]]), ("\"a,\nx\";b\n", [["a,\nx", "b"]]),
    ])
    func `records are read`(text: String, expected: [[String]]) throws {
        let records = try Self.records(text)
        #expect(records.map(\.fields) == expected)
        #expect(records.allSatisfy { $0.fault == nil })
    }

    @Test func `each record has the number of its first line`() throws {
        #expect(try Self.records("a\n\"b\nc\nd\"\r\ne\n\nf").map(\.line) == [1, 2, 5, 6, 7])
    }

    @Test(arguments: [
        ("a\nb\"c\nd\n", "unexpected quote in an unquoted value"),
        ("a\n\"b\"c\nd\n", "unexpected text after a closing quote"), ("a\n\"b\nc\n", "unclosed quote"),
        ("a\nb\u{0}\nd\n", "a value is not valid UTF-8"),
        ("a\n \"b\"\n", "unexpected quote in an unquoted value"),
    ])
    func `an unreadable record ends the file with its line number`(text: String, fault: String) throws {
        let records = try Self.records(text)
        #expect(records.map(\.line) == [1, 2])
        #expect(records.last?.fault == "\(fault); this line and the following ones were not read")
    }

    @Test func `bytes that are not UTF-8 are refused`() throws {
        var reader = try CSVReader([0x61, 0xFF, 0x0A])
        #expect(reader.next()?.fault != nil)
        #expect(reader.next() == nil)
    }

    private static func records(_ text: String) throws -> [CSVReader.Record] {
        var reader = try CSVReader(Array(text.utf8))
        var records: [CSVReader.Record] = []
        while let record = reader.next() { records.append(record) }
        return records
    }
}
