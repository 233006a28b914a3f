import Crypto
import Foundation
import Hummingbird
import HummingbirdTesting
import NIOCore
import SwiftASN1
import Synchronization
import X509

/// An issuer's OCSP responder on loopback that returns the same status to every request.
final class RevocationResponder: Sendable {
    enum Answer {
        case good
        case revoked
        case unknown
        case signedByAnother
        case status(Int)
        case bytes([UInt8])
    }

    private struct Unreadable: Error {}

    let authority: Mutex<SigningAuthority?> = Mutex(nil)
    let answer: Mutex<Answer>
    let questions = Mutex(0)

    init(_ answer: Answer) {
        self.answer = Mutex(answer)
    }

    /// Runs the body with an authority whose certificates name this responder.
    func run(_ body: @escaping @Sendable (SigningAuthority) async throws -> Void) async throws {
        let router = Router()
        router.post("ocsp") { request, _ in
            self.questions.withLock { $0 += 1 }
            let question = try await request.body.collect(upTo: 10_000)
            guard request.headers[.contentType] == "application/ocsp-request" else { throw Unreadable() }
            return try self.response(to: [UInt8](buffer: question))
        }
        try await Application(router: router, logger: .silent).test(.live) { client in
            // Connects the test client first: a server that stops before it accepts this connection crashes the
            // process.
            _ = try await client.execute(uri: "/ready", method: .get)
            let port = client.port ?? 0
            let authority = try SigningAuthority { $0.responder = "http://127.0.0.1:\(port)/ocsp" }
            self.authority.withLock { $0 = authority }
            try await body(authority)
        }
    }

    private func response(to question: [UInt8]) throws -> Response {
        guard let authority = self.authority.withLock({ $0 }) else { throw Unreadable() }
        switch self.answer.withLock({ $0 }) {
        case .status(let code): return Response(status: .init(code: code))
        case .bytes(let bytes): return Self.response(bytes)
        case .good: return Self.response(try Self.answer(to: question, status: 0, of: authority))
        case .revoked: return Self.response(try Self.answer(to: question, status: 1, of: authority))
        case .unknown: return Self.response(try Self.answer(to: question, status: 2, of: authority))
        case .signedByAnother:
            let key = P384.Signing.PrivateKey()
            return Self.response(try Self.answer(to: question, status: 0, of: authority, signedBy: key))
        }
    }

    private static func response(_ bytes: [UInt8]) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "application/ocsp-response"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }

    /// Returns a complete RFC 6960 response about the requested certificate.
    private static func answer(
        to question: [UInt8],
        status: UInt,
        of authority: SigningAuthority,
        signedBy key: P384.Signing.PrivateKey? = nil
    ) throws -> [UInt8] {
        let data = try self.data(about: try self.certificateID(in: question), status: status, of: authority)
        let signature = try (key ?? authority.intermediateKey).signature(for: data).derRepresentation
        var basic = DER.Serializer()
        try basic.appendConstructedNode(identifier: .sequence) { coder in
            coder.serializeRawBytes(data)
            try coder.appendConstructedNode(identifier: .sequence) { coder in
                try coder.serialize([1, 2, 840, 10_045, 4, 3, 3] as ASN1ObjectIdentifier)
            }
            try coder.serialize(ASN1BitString(bytes: [UInt8](signature)[...]))
        }
        var whole = DER.Serializer()
        try whole.appendConstructedNode(identifier: .sequence) { coder in
            coder.appendPrimitiveNode(identifier: .enumerated) { $0.append(0) }
            try coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { coder in
                try coder.appendConstructedNode(identifier: .sequence) { coder in
                    try coder.serialize([1, 3, 6, 1, 5, 5, 7, 48, 1, 1] as ASN1ObjectIdentifier)
                    try coder.serialize(ASN1OctetString(contentBytes: basic.serializedBytes[...]))
                }
            }
        }
        return whole.serializedBytes
    }

    private static func data(
        about certificateID: ArraySlice<UInt8>,
        status: UInt,
        of authority: SigningAuthority
    ) throws -> [UInt8] {
        var data = DER.Serializer()
        try data.appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(explicitlyTaggedWithTagNumber: 1, tagClass: .contextSpecific) { coder in
                try coder.serialize(authority.intermediate.subject)
            }
            try coder.serialize(try self.time(signingTime))
            try coder.appendConstructedNode(identifier: .sequence) { coder in
                try coder.appendConstructedNode(identifier: .sequence) { coder in
                    coder.serializeRawBytes(certificateID)
                    try self.add(status, to: &coder)
                    try coder.serialize(try self.time(signingTime))
                    try coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { coder in
                        try coder.serialize(try self.time(signingTime.addingTimeInterval(3_600)))
                    }
                }
            }
        }
        return data.serializedBytes
    }

    private static func add(_ status: UInt, to coder: inout DER.Serializer) throws {
        let identifier = ASN1Identifier(tagWithNumber: status, tagClass: .contextSpecific)
        guard status == 1 else { return coder.appendPrimitiveNode(identifier: identifier) { _ in } }
        try coder.appendConstructedNode(identifier: identifier) { coder in
            try coder.serialize(try self.time(signingTime.addingTimeInterval(-60)))
        }
    }

    private static func time(_ date: Date) throws -> GeneralizedTime {
        let parts = Calendar(identifier: .gregorian)
            .dateComponents(in: TimeZone(secondsFromGMT: 0) ?? .current, from: date)
        return try GeneralizedTime(
            year: parts.year ?? 0,
            month: parts.month ?? 0,
            day: parts.day ?? 0,
            hours: parts.hour ?? 0,
            minutes: parts.minute ?? 0,
            seconds: parts.second ?? 0,
            fractionalSeconds: 0
        )
    }

    /// Returns the bytes that identify the certificate in a request: the first element of every level.
    private static func certificateID(in question: [UInt8]) throws -> ArraySlice<UInt8> {
        var node = try DER.parse(question)
        for _ in 0..<4 {
            guard case .constructed(let nodes) = node.content, let first = nodes.first(where: { _ in true }) else {
                throw Unreadable()
            }
            node = first
        }
        return node.encodedBytes
    }
}
