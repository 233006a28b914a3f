public import Foundation

/// Mutates signed texts in the compact form: three parts in base64url.
public enum FuzzToken {
    /// Returns a signed text with changes to its parts' structure or to its bytes.
    public static func mutated(_ token: String, with others: [String], _ random: inout FuzzRandom) throws -> String {
        var parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, random.chance(85) else { return FuzzBytes.mutated(token, &random) }
        let other = random.pick(others).split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        switch random.below(9) {
        case 0...1: parts[0] = try self.json(parts[0], &random)
        case 2...3: parts[1] = try self.json(parts[1], &random)
        case 4: parts[2] = self.encode(Data(FuzzBytes.mutated(Array(self.decode(parts[2]) ?? Data()), &random)))
        case 5: parts[0] = try self.certificates(parts[0], &random)
        case 6:
            let place = random.below(3)
            parts[place] = other[place]
        case 7: parts[2] = random.pick(["", "AA", self.encode(Data(repeating: 0, count: 64))])
        default:
            let place = random.below(3)
            parts[place] = FuzzBytes.mutated(parts[place], &random)
        }
        return parts.joined(separator: ".")
    }

    /// Returns whether two texts carry the same signature over the same bytes; base64 has several forms of the last
    /// byte.
    public static func isSame(_ one: String, _ other: String) -> Bool {
        guard let dot = one.lastIndex(of: "."), let otherDot = other.lastIndex(of: ".") else { return one == other }
        return one.utf8[..<dot].elementsEqual(other.utf8[..<otherDot])
            && self.decode(String(one[one.index(after: dot)...]))
                == self.decode(String(other[other.index(after: otherDot)...]))
    }

    /// Returns the bytes in base64url.
    public static func encode(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Returns the bytes of a base64url text, or nil if the text is invalid.
    public static func decode(_ text: String) -> Data? {
        let plain = text.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4))
    }

    private static func json(_ part: String, _ random: inout FuzzRandom) throws -> String {
        self.encode(Data(try FuzzJSON.mutated(self.decode(part) ?? Data("{}".utf8), &random)))
    }

    /// Mutates the bytes of one of the header's certificates, if there are any.
    private static func certificates(_ part: String, _ random: inout FuzzRandom) throws -> String {
        guard
            let data = self.decode(part),
            var header = try JSONSerialization.jsonObject(with: data) as? [String: Any],
            var certificates = header["x5c"] as? [String], !certificates.isEmpty
        else { return try self.json(part, &random) }
        let place = random.below(certificates.count)
        let der = Data(base64Encoded: certificates[place]) ?? Data()
        certificates[place] = Data(FuzzBytes.mutated(Array(der), &random)).base64EncodedString()
        if random.chance(20) { certificates.swapAt(0, random.below(certificates.count)) }
        header["x5c"] = certificates
        return self.encode(try JSONSerialization.data(withJSONObject: header, options: .sortedKeys))
    }
}
