import Foundation
import Stores
import Testing

/// Tests with third-party payloads against the receipt form of a proof.
///
/// The folder contains no receipt and no response of the verification endpoint. These tests show that none of its
/// payloads is accepted as a receipt; other tests cover the decoders of the other forms.
@Suite
struct ConformanceTests {
    private static let folder: URL = {
        let named = ProcessInfo.processInfo.environment["WALLET_VECTORS"]
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return URL(fileURLWithPath: named ?? "../shared/vectors", relativeTo: root)
    }()

    private static let isPresent: Bool = {
        let isPresent = FileManager.default.fileExists(atPath: folder.appendingPathComponent("README.md").path)
        if !isPresent { print("vectors: left out, folder absent") }
        return isPresent
    }()

    private static func files(under path: String) throws -> [URL] {
        let folder = self.folder.appendingPathComponent(path)
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
        return names.map(folder.appendingPathComponent).filter { !$0.hasDirectoryPath && $0.pathExtension != "txt" }
    }

    @Test
    func `the vectors exist if they are required`() {
        guard ProcessInfo.processInfo.environment["WALLET_VECTORS_REQUIRED"] == "1" else { return }
        #expect(Self.isPresent, "WALLET_VECTORS_REQUIRED is 1, but there are no vectors in the folder")
    }

    @Test(.enabled(if: Self.isPresent))
    func `signed payloads submitted as a receipt are refused as malformed`() async throws {
        let names = ["testNotification", "renewalInfo", "transactionInfo", "wrongBundleId", "missingX5CHeaderClaim"]
        try await Sandbox.run { sandbox in
            for name in names {
                let file = Self.folder.appendingPathComponent("apple/mock_signed_data/\(name)")
                let payload = try String(contentsOf: file, encoding: .utf8)
                #expect(payload.utf8.count > 1_000)
                #expect(await sandbox.verifier().refusal(of: payload)?.code == .malformedReceipt, "\(name)")
            }
            try await sandbox.expectCalls(production: 0, sandbox: 0)
        }
    }

    @Test(.enabled(if: Self.isPresent))
    func `an unsigned old-style transaction is rejected by the store and not by its form`() async throws {
        try await Sandbox.run { sandbox in
            let file = Self.folder.appendingPathComponent("apple/mock_signed_data/legacyTransaction")
            let payload = try String(contentsOf: file, encoding: .utf8)
            #expect(await sandbox.verifier().refusal(of: payload)?.code == .rejected)
        }
    }

    @Test(.enabled(if: Self.isPresent), arguments: ["apple/models", "google", "revenuecat"])
    func `plain JSON submitted as a receipt is refused as unsigned`(path: String) async throws {
        let files = try Self.files(under: path).filter { $0.pathExtension == "json" }
        #expect(files.count >= 6)
        try await Sandbox.run { sandbox in
            let verifier = sandbox.verifier()
            for file in files {
                let bytes = try Data(contentsOf: file)
                // Files such as hmac-vectors.json may be lists, which are neither a transaction nor a receipt.
                let isObject = try JSONSerialization.jsonObject(with: bytes) is [String: Any]
                let expected: StoreError.Code = isObject ? .unsignedTransaction : .malformedReceipt
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(await verifier.refusal(of: text)?.code == expected, "\(file.lastPathComponent)")
                if isObject {
                    let encoded = bytes.base64EncodedString()
                    #expect(await verifier.refusal(of: encoded)?.code == expected, "\(file.lastPathComponent)")
                }
            }
            try await sandbox.expectCalls(production: 0, sandbox: 0)
        }
    }
}
