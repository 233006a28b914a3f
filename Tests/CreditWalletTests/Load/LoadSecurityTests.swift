import CommandOutput
import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import TestSupport
import Testing
import X509

@testable import CreditWallet
@testable import WalletLoad

/// Tests of `load` against a service that uses TLS.
@Suite struct LoadSecurityTests {
    /// Returns a self-signed certificate for addresses or a name.
    private static func server(for names: GeneralName...) throws -> (configuration: TLSConfiguration, pem: String) {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("Load test") }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: Date(timeIntervalSinceNow: -3_600),
            notValidAfter: Date(timeIntervalSinceNow: 3_600),
            issuer: name,
            subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                SubjectAlternativeNames(names)
            },
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        let pem = try certificate.serializeAsPEM().pemString
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem))
        )
        return (configuration, pem)
    }

    private static func address(_ bytes: UInt8...) -> GeneralName {
        .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
    }

    private static func load(_ url: String, _ arguments: [String]) async throws -> Executable.Result {
        let files = try LoadFiles(tokens: ["a.b.c"], classes: (1...50).map { "class-\($0)" })
        return try await Executable.run(
            ["load", "--url", url, "--rate", "20", "--duration", "1", "--connections", "2"] + arguments
                + files.arguments
        )
    }

    @Test func `over TLS, load books only where it trusts the certificate`() async throws {
        let server = try Self.server(for: Self.address(127, 0, 0, 1))
        let other = try Self.server(for: Self.address(127, 0, 0, 1))
        let directory = try TemporaryDirectory()
        try directory.write(server.pem, to: "ca.pem")
        try directory.write(other.pem, to: "other.pem")
        try await StallingServer.run(stall: 1_000...1_001, security: server.configuration) { url in
            let trusted = try await Self.load(url, ["--ca", "\(directory.path)/ca.pem"])
            #expect(trusted.status == 0, "\(trusted.errors)")
            #expect(trusted.output.hasPrefix("https://127.0.0.1:"))
            #expect(trusted.output.contains("load: 20 bookings, 0 failed, books not checked"))

            for arguments in [[], ["--ca", "\(directory.path)/other.pem"]] {
                let distrusted = try await Self.load(url, arguments)
                #expect(distrusted.status == 69)
                let cause = "Its certificate is not trusted. Use --ca to trust"
                #expect(distrusted.errors.contains(cause), "\(distrusted.errors)")
            }
        }
    }

    @Test func `a certificate for another address is refused`() async throws {
        let server = try Self.server(for: Self.address(127, 0, 0, 2), .dnsName("localhost"))
        let directory = try TemporaryDirectory()
        try directory.write(server.pem, to: "ca.pem")
        try await StallingServer.run(stall: 1_000...1_001, security: server.configuration) { url in
            let wrong = try await Self.load(url, ["--ca", "\(directory.path)/ca.pem"])
            #expect(wrong.status == 69)
            #expect(wrong.errors.contains("Its certificate is for a different name or address."), "\(wrong.errors)")
            // The certificate contains this name.
            let named = url.replacing("127.0.0.1", with: "localhost")
            let right = try await Self.load(named, ["--ca", "\(directory.path)/ca.pem"])
            #expect(right.status == 0, "\(right.errors)")
        }
    }

    @Test func `unreadable or unused certificates are refused`() throws {
        let directory = try TemporaryDirectory()
        try directory.write("no certificate", to: "ca.pem")
        let file = "\(directory.path)/ca.pem"
        for (url, path, words) in [
            ("https://127.0.0.1:1", file, "contains no PEM certificates"),
            ("https://127.0.0.1:1", "\(directory.path)/none", "contains no PEM certificates"),
            ("http://127.0.0.1:1", file, "--ca requires an https address"),
        ] {
            let error = #expect(throws: CommandError.self) {
                try LoadTarget(url: url, allowedHost: nil, authorities: path)
            }
            #expect(error?.code == .configuration)
            #expect(error?.message.contains(words) == true)
        }
    }
}
