import CommandOutput
import Foundation
import NIOCore
import Testing

@testable import WalletLoad

@Suite struct LoadTargetTests {
    @Test(arguments: ["http://127.0.0.1:8080", "http://127.3.2.1", "http://localhost:8080/", "http://[::1]:8080"])
    func `load may target this machine`(url: String) throws {
        _ = try LoadTarget(url: url, allowedHost: nil)
    }

    @Test(arguments: ["http://192.0.2.1:8080", "http://[2001:db8::1]:8080", "http://0.0.0.0:8080"])
    func `another machine must be named explicitly`(url: String) throws {
        let host = try #require(URLComponents(string: url)?.host?.trimmingCharacters(in: ["[", "]"]))
        for allowed in [nil, "192.0.2.2"] {
            let error = #expect(throws: CommandError.self) { try LoadTarget(url: url, allowedHost: allowed) }
            #expect(error?.code == .configuration)
            #expect(error?.message.contains("--allow-host \(host)") == true)
        }
        #expect(try LoadTarget(url: url, allowedHost: host).address.ipAddress == host)
    }

    @Test(arguments: ["ftp://127.0.0.1", "http://127.0.0.1/wallet", "http://me@127.0.0.1", "127.0.0.1:8080", ""])
    func `an unsupported URL is refused`(url: String) {
        let error = #expect(throws: CommandError.self) { try LoadTarget(url: url, allowedHost: nil) }
        #expect(error?.message.contains("https://wallet.example") == true)
    }
}
