import Foundation
import Testing
import Yams

@testable import WalletConsole

/// The package's own documents, from the folder that the tests were built in.
enum Documents {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL

    static func openAPI() throws -> String {
        try String(contentsOf: self.root.appending(path: "openapi.yaml"), encoding: .utf8)
    }

    /// Each slug of openapi.yaml with a title.
    static func titles() throws -> [String: String] {
        let slugs = try OpenAPIDocument(self.openAPI()).problemSlugs
        return Dictionary(uniqueKeysWithValues: slugs.map { ($0, "The title of \($0)") })
    }

    /// Every file of the reference by its path.
    static func reference(tryIt: Bool = false) throws -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: try APIReference(
                openAPI: self.openAPI(),
                problemTitles: self.titles(),
                tryIt: tryIt
            ).drawn()
        )
    }
}
