import Foundation

/// Writes a JSON web token in its compact form.
/// - Parameters:
///   - header: the header; it must name the algorithm of the signature.
///   - claims: what the token says.
///   - sign: signs the bytes of header and claims.
/// - Returns: the token.
/// - Throws: what encoding and signing throw.
func compactJWT(
    header: some Encodable,
    claims: some Encodable,
    sign: (Data) throws -> Data
) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let content = try "\(encoder.encode(header).base64URL).\(encoder.encode(claims).base64URL)"
    return try "\(content).\(sign(Data(content.utf8)).base64URL)"
}
