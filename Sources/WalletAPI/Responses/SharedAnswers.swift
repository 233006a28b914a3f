import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Wallet

/// Responses that are the same for all clients, kept in memory for at most a second.
///
/// A response is read again after any change through this instance, so that a client sees its own bookings. Changes by
/// other instances appear after a second at the latest. A booking decides on the database's rows, so an old number of
/// free seats costs a client at most a refusal.
final class SharedAnswers<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        let writeCount: Int
        let begun: ContinuousClock.Instant
        let reading: Task<SharedAnswer, any Error>
    }

    private let wallet: Wallet
    private let entries = Mutex<[Key: Entry]>([:])

    init(wallet: Wallet) {
        self.wallet = wallet
    }

    /// Returns the response for a key; requests that arrive during a read share its result.
    ///
    /// - Parameters:
    ///   - key: The key, one of few.
    ///   - request: The request; if it names the entity tag, the response is 304.
    ///   - read: Reads the value from the primary.
    /// - Returns: The response.
    /// - Throws: The error of `read`.
    func response(
        _ key: Key,
        to request: Request,
        _ read: @escaping @Sendable (Wallet) async throws -> any Encodable
    ) async throws -> Response {
        let (wallet, writeCount, now) = (self.wallet, self.wallet.writeCount, ContinuousClock.now)
        let reading = self.entries.withLock { entries in
            if let entry = entries[key], entry.writeCount == writeCount, now - entry.begun < .seconds(1) {
                return entry.reading
            }
            let reading = Task {
                let value = try await ReadSession.onPrimary { try await read(wallet) }
                return try SharedAnswer(value, position: await wallet.standbys?.token())
            }
            entries[key] = Entry(writeCount: writeCount, begun: now, reading: reading)
            return reading
        }
        do {
            let answer = try await reading.value
            if let position = answer.position { ReadSession.noteShared(position) }
            return answer.response(to: request)
        } catch {
            self.entries.withLock { entries in
                if entries[key]?.reading == reading { entries[key] = nil }
            }
            throw error
        }
    }
}

/// A response in memory.
private struct SharedAnswer: Sendable {
    /// How far clients have seen the books after this response; nil without standbys.
    let position: String?
    private let body: ByteBuffer
    private let entityTag: String

    init(_ value: any Encodable, position: String?) throws {
        self.position = position
        let json = try WireJSON.encoder.encode(value)
        self.body = ByteBuffer(bytes: json)
        self.entityTag = EntityTag.text(of: SHA256.hash(data: json))
    }

    func response(to request: Request) -> Response {
        let headers: HTTPFields = [.eTag: self.entityTag, .cacheControl: "no-cache"]
        if request.alreadyHolds(self.entityTag) { return Response(status: .notModified, headers: headers) }
        return Response(json: self.body, status: .ok, headers: headers)
    }
}
