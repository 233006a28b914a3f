/// A member of a published key set, with the names of RFC 7517 and RFC 7518.
struct PublishedKey: Decodable, Sendable {
    let kty: String
    let kid: String?
    let alg: String?
    let use: String?
    let operations: [String]?
    let crv: String?
    let x: String?
    let y: String?
    let n: String?
    let e: String?

    private enum CodingKeys: String, CodingKey {
        case kty, kid, alg, use, crv, x, y, n, e
        case operations = "key_ops"
    }
}
