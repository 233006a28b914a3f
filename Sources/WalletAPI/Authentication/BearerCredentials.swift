import HTTPTypes

/// Reads the token from an `Authorization` field.
enum BearerCredentials {
    /// Returns the one bearer token of a request.
    ///
    /// - Parameter headers: The request's header fields.
    /// - Returns: The token as the client sent it.
    /// - Throws: ``WalletAPIError/Code/unauthenticated`` if there is no token, more than one field, or another scheme.
    static func token(in headers: HTTPFields) throws(WalletAPIError) -> String {
        let values = headers[values: .authorization]
        guard let value = values.first else { throw .refused(Self.missing) }
        guard values.count == 1 else { throw .refused("The request has more than one Authorization field.") }
        let scheme = value.utf8.prefix { $0 != UInt8(ascii: " ") }
        guard scheme.count < value.utf8.count, String(scheme)?.lowercased() == "bearer" else {
            throw .refused("The Authorization field must have the form \"Bearer <token>\".")
        }
        var token = String(value[scheme.endIndex...].dropFirst())
        guard !token.isEmpty, token.withUTF8({ $0.allSatisfy(Self.isTokenByte) }) else {
            throw .refused("The bearer token contains invalid characters.")
        }
        return token
    }

    /// The reason returned when the request has no token; this is not an error of a token.
    static let missing = "A bearer token is required."

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
