import Foundation
import Testing
import Yams

@testable import WalletConsole

@Suite struct JSONTextTests {
    @Test(arguments: [
        ("a: 1\nb: [true, null, '2', 1.5]", #"{"a": 1, "b": [true, null, "2", 1.5]}"#),
        ("{b: {}, a: []}", #"{"b": {}, "a": []}"#),
        ("'a \"b\" \\'", #""a \"b\" \\""#),
        ("date: 2026-11-21", #"{"date": "2026-11-21"}"#),
        ("|\n  one\n  two\n", #""one\ntwo\n""#),
    ])
    func `YAML is written as the equivalent JSON`(yaml: String, json: String) throws {
        let node = try #require(try Yams.compose(yaml: yaml))
        let written = JSONText.plain(node).split(separator: "\n").map { $0.drop(while: \.isWhitespace) }
        let expected = json.replacing(/[\[{](?![\]}])/) { "\($0.output) " }
        let shape = { (text: String) in text.filter { !$0.isWhitespace } }
        #expect(shape(written.joined()) == shape(expected))
    }

    @Test func `the whole document is preserved`() throws {
        let yaml = try Documents.openAPI()
        let written = try JSONText.plain(OpenAPIDocument(yaml).root)
        let read = try #require(try JSONSerialization.jsonObject(with: Data(written.utf8)) as? NSDictionary)
        let loaded = try #require(try Yams.load(yaml: yaml) as? [String: Any])
        #expect(read == loaded as NSDictionary)
    }

    @Test func `a member's name and text are marked up and escaped`() throws {
        let node = try #require(try Yams.compose(yaml: "{'<a>': '&', b: 1}"))
        #expect(
            JSONText.html(node)
                == "{\n  <b>&quot;&lt;a&gt;&quot;</b>: <i>&quot;&amp;&quot;</i>,\n  <b>&quot;b&quot;</b>: 1\n}"
        )
    }
}
