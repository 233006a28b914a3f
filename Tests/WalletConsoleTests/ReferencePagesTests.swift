import Foundation
import Testing
import Wallet
import Yams

@testable import WalletConsole

@Suite struct ReferencePagesTests {
    @Test func `every operation is on its tag's page, with curl, and in the search index`() throws {
        let files = try Documents.reference()
        let document = try Documents.document()
        let index = try #require(files["docs/search.json"])
        #expect(document.operations.count > 60)
        for (method, path, node) in document.operations {
            let id = try #require(node["operationId"]?.string)
            let tag = try #require(node["tags"]?.items.first?.string)
            let page = try #require(files["docs/\(tag).html"])
            #expect(page.contains("id=\"\(id)\""))
            #expect(index.contains("\"\(method) \(path)\""))
            #expect(files["docs/\(tag).md"]?.contains("`\(method) \(path)`") == true)
        }
        let bookings = try #require(files["docs/bookings.html"])
        #expect(bookings.contains("curl -sS -X POST &quot;$WALLET/bookings&quot;"))
        #expect(bookings.contains("wallet.book(classID: classID)"))
        #expect(bookings.contains("<a href=\"/problems/class-full\"><code>class-full</code></a>"))
    }

    @Test func `every link within the reference has a target`() throws {
        let files = try Documents.reference()
        let elsewhere: Set = ["/openapi.yaml", "/"]
        for (path, text) in files where path.hasSuffix(".html") {
            for match in text.matches(of: /(?:href|src)="(\/[^"#]*)(?:#([^"]*))?"/) {
                let target = String(match.1.dropFirst())
                guard !elsewhere.contains(String(match.1)) else { continue }
                let found = files["\(target).html"] ?? files[target]
                #expect(found != nil, "\(path): \(match.1)")
                if let anchor = match.2 { #expect(found?.contains("id=\"\(anchor)\"") == true, "\(path): #\(anchor)") }
            }
        }
    }

    @Test func `no page has inline scripts, styles or handlers`() throws {
        for (path, text) in try Documents.reference(tryIt: true) where path.hasSuffix(".html") {
            #expect(text.firstMatch(of: /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+="/) == nil, "\(path)")
        }
    }

    @Test func `only dev pages can call operations`() throws {
        #expect(try Documents.reference()["docs/ledger.html"]?.contains("<form") == false)
        #expect(try Documents.reference(tryIt: true)["docs/ledger.html"]?.contains("<form") == true)
    }

    @Test func `the Swift samples name operations of the document and methods of the SDK`() throws {
        let known = Set(
            try Documents.document().operations.compactMap { $0.node["operationId"]?.string }
        )
        let folder = Documents.root.appending(path: "Sources/WalletClient")
        let sources = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        for (operation, sample) in SwiftSamples.calls {
            #expect(known.contains(operation))
            let calls = sample.matches(of: /wallet\.(\w+)\(/).map { $0.1 }
            #expect(!calls.isEmpty)
            for call in calls { #expect(sources.contains("func \(call)("), "\(call)") }
        }
    }

    @Test func `the JSON of a problem has its title`() throws {
        #expect(ProblemGuide(try #require(ProblemType.all["class-full"])).json.contains("\"The class is full\""))
    }
}
