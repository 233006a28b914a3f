import Foundation
import Postgres
import Testing
import WalletClient

extension LiveWalletTests {
    /// Tests of the `/functions/v1` routes with Supabase's own client, as `.ci/deps` installs it.
    @Suite struct SupabaseClientTests {
        private let wallet: LiveWallet

        init() throws {
            self.wallet = try LiveWallet.current
        }

        @Test func `from out of credits to a cancelled booking through Supabase's client`() async throws {
            let user = try self.wallet.user("supabase")
            try await self.wallet.query("INSERT INTO admin.testers (user_id) VALUES (\(user.id))")
            // The wallet reloads its testers once a second.
            try await Task.sleep(for: .seconds(1.2))
            let classID = try await self.wallet.makeClass(credits: 20, seats: 3)
            let result = try await PythonScript("story.py").run([
                "url": .string(self.wallet.description.httpURL),
                "store_url": .string(self.wallet.description.storeURL),
                "key": "sb_publishable_of_the_project",
                "token": .string(user.token),
                "user": .string(user.id),
                "product": .string(SandboxStore.starter),
                "class_id": .string(classID),
            ])
            #expect(result.status == 0, "\(result.output)")
            let last = result.output.split(separator: "\n").last ?? ""
            let found = try JSONDecoder().decode([String: JSONValue].self, from: Data(last.utf8))
            #expect(found["balance"] == 25)
            // A tester's purchases are in the sandbox; production has neither the credits nor the seat.
            let production = try await user.send(
                .get,
                "/balance",
                headers: [("wallet-environment", "production")]
            ).json
            #expect(production["credits"] == 0)
            #expect(production["version"] == 0)
            #expect(try await self.wallet.seatsSold(classID) == 0)
        }
    }
}
