import Foundation
import Testing
import Yams

@testable import WalletConsole

/// The package's documents, read from the source folder of the tests.
enum Documents {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL

    private static let text = Result {
        try String(contentsOf: root.appending(path: "openapi.yaml"), encoding: .utf8)
    }
    // Rendered once each, because this takes seconds in an unoptimized build.
    private static let served = Result { try drawn(tryIt: false) }
    private static let tried = Result { try drawn(tryIt: true) }
    /// The routes that serve the reference; the first access renders the pages.
    static let routes = Result { APIReference(openAPI: try openAPI()) }

    static func openAPI() throws -> String { try self.text.get() }

    static func document() throws -> OpenAPIDocument { try OpenAPIDocument(self.text.get()) }

    /// Returns every file of the reference by its path.
    static func reference(tryIt: Bool = false) throws -> [String: String] {
        try tryIt ? self.tried.get() : self.served.get()
    }

    private static func drawn(tryIt: Bool) throws -> [String: String] {
        let reference = APIReference(openAPI: try self.openAPI(), tryIt: tryIt)
        return Dictionary(uniqueKeysWithValues: try reference.drawn())
    }
}
