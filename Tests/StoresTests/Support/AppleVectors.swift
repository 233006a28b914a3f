import AsyncHTTPClient
import Foundation
import Stores

/// Apple's own test data, in the folder of third-party vectors.
enum AppleVectors {
    private static let folder: URL = {
        let named = ProcessInfo.processInfo.environment["WALLET_VECTORS"]
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return URL(fileURLWithPath: named ?? "../shared/vectors", relativeTo: root).appendingPathComponent("apple")
    }()

    static let isPresent: Bool = {
        let isPresent = FileManager.default.fileExists(atPath: folder.appendingPathComponent("certs/testCA.der").path)
        if !isPresent { print("vectors: left out, folder absent") }
        return isPresent
    }()

    static func signed(_ name: String) throws -> String {
        try String(contentsOf: self.folder.appendingPathComponent("mock_signed_data/\(name)"), encoding: .utf8)
    }

    static func model(_ name: String) throws -> Data {
        try Data(contentsOf: self.folder.appendingPathComponent("models/\(name).json"))
    }

    /// Returns a verifier of the mock data for one environment.
    static func verifier(
        of environment: StoreEnvironment,
        bundle: String = "com.example",
        number: Int64 = 1_234
    ) throws -> SignedDataVerifier {
        var configuration = SignedDataConfiguration(bundleIDs: [bundle], appAppleIDs: [number])
        configuration.roots = [[UInt8](try Data(contentsOf: self.folder.appendingPathComponent("certs/testCA.der")))]
        configuration.environments = [environment]
        return SignedDataVerifier(configuration: configuration, httpClient: .shared, logger: .silent)
    }
}
