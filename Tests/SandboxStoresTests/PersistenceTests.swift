import Foundation
import SandboxStores
import Testing

@Suite
struct PersistenceTests {
    private func inFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sandbox-\(UUID().uuidString)")
        do {
            try await body(folder.path)
        } catch {
            try FileManager.default.removeItem(at: folder)
            throw error
        }
        try FileManager.default.removeItem(at: folder)
    }

    @Test
    func `purchases, receipts, ids and the clock survive a restart`() async throws {
        try await self.inFolder { folder in
            let configuration = Stores.configuration(directory: folder)
            let before = SaleBox()
            try await Stores.run(configuration) { stores async throws in
                _ = try await stores.post("/sandbox/clock", ["advance_seconds": 500])
                await before.set(try await stores.buy().json.compactMapValues { $0 as? String })
            }
            let sale = await before.sale
            let id = try #require(sale["transaction_id"])
            try await Stores.run(configuration) { stores async throws in
                #expect(try await stores.shown(sale["receipt"]) == [id])
                #expect(try await stores.get("/sandbox/clock").number("offset_seconds") == 500)
                let next = try #require(try await stores.buy().text("transaction_id").flatMap(Int.init))
                #expect(next > (Int(id) ?? .max))
                #expect(try await stores.shown(sale["receipt"]) == [id, String(next)])
            }
            #expect(try await SandboxStores(configuration: configuration, logger: .silent).clockOffset() == 500)
        }
    }

    @Test
    func `an unreadable state file is not changed and prevents the start`() async throws {
        try await self.inFolder { folder in
            let file = URL(fileURLWithPath: folder).appendingPathComponent("sandbox-stores.json")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data("not ours".utf8).write(to: file)
            let error = #expect(throws: SandboxStoresError.self) {
                try SandboxStores(configuration: Stores.configuration(directory: folder), logger: .silent)
            }
            #expect(error?.code == .unreadableState)
            #expect(try Data(contentsOf: file) == Data("not ours".utf8))
        }
    }

    @Test
    func `the certificate authority and a subscription's history survive a restart`() async throws {
        try await self.inFolder { folder in
            let configuration = Stores.configuration(directory: folder)
            let before = SaleBox()
            try await Stores.run(configuration) { stores async throws in
                let sale = try await stores.buy(monthly)
                let id = try #require(sale.text("original_transaction_id"))
                try await stores.step("subscriptions/\(id)/billing-issue", ["grace_days": 3])
                await before.set(["id": id, "root": stores.root.base64EncodedString()])
            }
            let kept = await before.sale
            try await Stores.run(configuration) { stores async throws in
                #expect(stores.root.base64EncodedString() == kept["root"])
                let renewal = try await stores.step("subscriptions/\(kept["id"] ?? "")/recover")
                _ = try SignedData(renewal.text("signed_transaction"), root: stores.root)
            }
            let other = try SandboxStores(configuration: Stores.configuration(), logger: .silent)
            #expect(other.rootCertificate.base64EncodedString() != kept["root"])
        }
    }

    private actor SaleBox {
        private(set) var sale: [String: String] = [:]

        func set(_ sale: [String: String]) {
            self.sale = sale
        }
    }
}
