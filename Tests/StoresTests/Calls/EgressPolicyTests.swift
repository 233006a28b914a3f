import NIOCore
import Testing

@testable import Stores

@Suite struct EgressPolicyTests {
    /// Hosts as written in URLs, each of which leads to this machine, its link or a private network.
    static let closed = [
        "127.0.0.1", "127.255.255.254", "0.0.0.0", "localhost", "LOCALHOST", "localhost.", "wallet.localhost",
        "127.0.0.1.", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
        "100.64.0.1", "198.18.0.1", "192.0.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "::1", "[::1]", "::",
        "[::]", "fe80::1", "[fe80::1%25eth0]", "fe80::1%eth0", "fc00::1", "fd12:3456::1", "ff02::1",
        "::ffff:127.0.0.1", "[::ffff:10.0.0.1]", "::127.0.0.1", "::ffff:a9fe:a9fe", "64:ff9b::7f00:1",
        "2002:7f00:1::", "2001:db8::1", "2001::1", "",
    ]

    static let open = [
        "buy.itunes.apple.com", "17.253.144.10", "8.8.8.8", "172.32.0.1", "172.15.255.255", "11.0.0.1",
        "100.128.0.1", "169.253.1.1", "2620:149::1", "[2606:4700::1111]", "64:ff9b::808:808", "2002:808:808::",
        "::ffff:8.8.8.8", "localhost.example", "127.0.0.1.example", "10.example.com", "1.2.3.4.5", "256.256.256.256",
    ]

    @Test(arguments: Self.closed) func `what is not the internet is out of reach`(host: String) {
        #expect(!EgressPolicy.publicOnly.allows(host: host))
        #expect(EgressPolicy.anywhere.allows(host: host))
    }

    @Test(arguments: Self.open) func `names and public addresses are allowed`(host: String) {
        #expect(EgressPolicy.publicOnly.allows(host: host))
    }

    @Test func `a connection is checked by its resolved address`() throws {
        let far = try SocketAddress(ipAddress: "17.253.144.10", port: 443)
        #expect(EgressPolicy.publicOnly.allows(far))
        for text in ["127.0.0.1", "::1", "10.0.0.1", "169.254.169.254", "::ffff:192.168.0.1", "fe80::1"] {
            let near = try SocketAddress(ipAddress: text, port: 443)
            #expect(!EgressPolicy.publicOnly.allows(near), "\(text)")
            #expect(EgressPolicy.anywhere.allows(near))
        }
        #expect(!EgressPolicy.publicOnly.allows(try SocketAddress(unixDomainSocketPath: "/tmp/socket")))
        #expect(!EgressPolicy.publicOnly.allows(nil))
    }

    @Test func `a network contains the addresses with its prefix`() throws {
        let network = try #require(InternetNetwork("10.32.0.0/11"))
        #expect(network.contains(try #require(InternetAddress("10.63.255.255"))))
        #expect(!network.contains(try #require(InternetAddress("10.64.0.0"))))
        let all = try #require(InternetNetwork("::/0"))
        #expect(all.contains(try #require(InternetAddress("10.64.0.0"))))
        let site = try #require(InternetNetwork("2001:db8:1::/48"))
        #expect(site.contains(try #require(InternetAddress("2001:db8:1:ffff::1"))))
        #expect(!site.contains(try #require(InternetAddress("2001:db8:2::1"))))
        let one = try #require(InternetNetwork("192.0.2.7"))
        #expect(one.contains(try #require(InternetAddress("::ffff:192.0.2.7"))))
        #expect(!one.contains(try #require(InternetAddress("192.0.2.8"))))
    }

    @Test(arguments: ["", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/08", "10.0.0.0/", "::/129", "10/8", "proxy"])
    func `an invalid network is refused`(text: String) {
        #expect(InternetNetwork(text) == nil)
    }
}
