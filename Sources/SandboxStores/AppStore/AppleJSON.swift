import Foundation
import Hummingbird
import NIOCore

/// JSON in the format of the verification endpoint, which encodes most values as text.
enum AppleJSON: Encodable, Sendable {
    case text(String)
    case number(Int)
    case flag(Bool)
    case list([AppleJSON])
    case object([String: AppleJSON])

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .text(let text): try value.encode(text)
        case .number(let number): try value.encode(number)
        case .flag(let flag): try value.encode(flag)
        case .list(let list): try value.encode(list)
        case .object(let members): try value.encode(members)
        }
    }

    /// Returns an instant in the format of signed payloads: milliseconds since 1970.
    static func milliseconds(_ date: Date) -> AppleJSON {
        .number(Int((date.timeIntervalSince1970 * 1_000).rounded()))
    }
}

extension Response {
    /// Returns an answer of the verification endpoint; its HTTP status is always 200.
    static func apple(_ body: AppleJSON) throws -> Response {
        let data = try JSONEncoder().encode(body)
        return Response(
            status: .ok,
            headers: [.contentType: "application/json;charset=UTF-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data))
        )
    }
}
