import AsyncHTTPClient
import Foundation
import Stores
import Synchronization
import Testing

@Suite
struct RevocationTests {
    private static func verify(
        _ authority: SigningAuthority,
        checksRevocation: Bool = true,
        httpClient: HTTPClient = .shared
    ) async throws -> StoreError? {
        let verifier = try SignedData.verifier(
            under: authority,
            { $0.checksRevocation = checksRevocation },
            httpClient: httpClient
        )
        let signed = try authority.sign(SignedData.transaction())
        do throws(StoreError) {
            _ = try await verifier.transaction(signed)
            return nil
        } catch {
            return error
        }
    }

    @Test
    func `a certificate that is not revoked is valid, and its status is cached`() async throws {
        let responder = RevocationResponder(.good)
        try await responder.run { authority in
            let clock = ManualClock()
            var configuration = SignedDataConfiguration(bundleIDs: [appBundle], checksRevocation: true)
            configuration.roots = [try authority.root.der]
            let verifier = SignedDataVerifier(
                configuration: configuration,
                httpClient: .shared,
                logger: .silent,
                wallClock: { signingTime },
                monotonicClock: { clock.now }
            )
            let signed = try authority.sign(SignedData.transaction())
            for _ in 0..<3 {
                #expect(try await verifier.transaction(signed).environment == .production)
            }
            #expect(responder.questions.withLock { $0 } == 1)
            clock.advance(by: .seconds(15 * 60))
            #expect(try await verifier.transaction(signed).environment == .production)
            #expect(responder.questions.withLock { $0 } == 2)
            responder.answer.withLock { $0 = .revoked }
            clock.advance(by: .seconds(15 * 60))
            #expect(
                await code { () throws(StoreError) in try await verifier.transaction(signed) } == .invalidCertificate
            )
        }
    }

    @Test
    func `a revoked or unknown certificate is refused`() async throws {
        for answer in [RevocationResponder.Answer.revoked, .unknown] {
            try await RevocationResponder(answer).run { authority in
                let error = try await Self.verify(authority)
                #expect(error?.code == .invalidCertificate)
            }
        }
    }

    @Test
    func `a failed or invalid revocation check is a temporary error`() async throws {
        for answer in [
            RevocationResponder.Answer.status(500), .status(404), .bytes([]), .bytes([0x30, 0x03, 0x0A, 0x01, 0x03]),
            .bytes(Array(repeating: 7, count: 70_000)), .signedByAnother,
        ] {
            try await RevocationResponder(answer).run { authority in
                let error = try await Self.verify(authority)
                #expect(error?.code == .unavailable && error?.retryAfter == 30, "\(answer)")
            }
        }
    }

    @Test
    func `an unreachable issuer is a temporary error`() async throws {
        let authority = try SigningAuthority { $0.responder = "http://127.0.0.1:1/ocsp" }
        var options = HTTPClient.Configuration()
        options.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: options)
        let error = try await Self.verify(authority, httpClient: client)
        try await client.shutdown()
        #expect(error?.code == .unavailable && error?.retryAfter == 30)
    }

    @Test
    func `no request is sent if checking is off or the certificates are invalid`() async throws {
        let responder = RevocationResponder(.revoked)
        try await responder.run { authority in
            #expect(try await Self.verify(authority, checksRevocation: false) == nil)
            let verifier = try SignedData.verifier(under: try SigningAuthority(), { $0.checksRevocation = true })
            let signed = try authority.sign(SignedData.transaction())
            #expect(
                await code { () throws(StoreError) in try await verifier.transaction(signed) } == .invalidCertificate
            )
            #expect(responder.questions.withLock { $0 } == 0)
        }
    }
}
