public import Foundation

extension FuzzJSON {
    /// Returns a valid JSON text with structural changes, and sometimes with changed bytes.
    public static func mutated(_ json: Data, _ random: inout FuzzRandom) throws -> [UInt8] {
        if random.chance(1) { return self.openBrackets(&random) }
        var tree = try FuzzJSON(json)
        for _ in 0..<random.pick([1, 1, 1, 2, 4]) { tree.mutate(&random) }
        let bytes = Array(tree.json.utf8)
        return random.chance(15) ? FuzzBytes.mutated(bytes, &random) : bytes
    }

    /// Returns about as many open brackets as a parser's limits allow, in UTF-8 or UTF-16.
    ///
    /// A character with the byte of a quotation mark may come first, so that the bytes do not show which brackets count.
    private static func openBrackets(_ random: inout FuzzRandom) -> [UInt8] {
        let depth = random.pick([31, 32, 33, 510, 511, 512, 513, 514])
        let start = random.pick(["", "{\"a\":", "[\"\\uaaa\\\",", "[\"\\u\\\\\\\",", "[\"\\\",\"\\\"\","])
        let brackets = start + String(repeating: "[", count: depth)
        if random.chance(50) { return Array(brackets.utf8) }
        let text = random.chance(50) ? brackets : "[\"\u{2200}\"," + brackets
        return text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    private mutating func mutate(_ random: inout FuzzRandom) {
        switch self {
        case .object(var members) where !members.isEmpty && random.chance(85):
            Self.change(&members, &random)
            self = .object(members)
        case .list(var elements) where !elements.isEmpty && random.chance(80):
            Self.change(&elements, &random)
            self = .list(elements)
        case .text(let text) where random.chance(40): self = .text(FuzzBytes.mutated(text, &random))
        default: self = Self.anything(&random)
        }
    }

    private static func change(_ members: inout [(String, FuzzJSON)], _ random: inout FuzzRandom) {
        let place = random.below(members.count)
        switch random.below(10) {
        case 0: members.remove(at: place)
        case 1: members.append((members[place].0, Self.anything(&random)))
        case 2: members[place].0 = FuzzBytes.mutated(members[place].0, &random)
        case 3: members.swapAt(place, random.below(members.count))
        case 4: members[place].1 = members[random.below(members.count)].1
        default: members[place].1.mutate(&random)
        }
    }

    private static func change(_ elements: inout [FuzzJSON], _ random: inout FuzzRandom) {
        let place = random.below(elements.count)
        switch random.below(8) {
        case 0: elements.remove(at: place)
        case 1: elements.append(Self.anything(&random))
        case 2: elements = Array(repeating: elements[place], count: random.pick([2, 100, 300]))
        default: elements[place].mutate(&random)
        }
    }

    private static func anything(_ random: inout FuzzRandom) -> FuzzJSON {
        switch random.below(20) {
        case 0: .raw(Self.nested(random.pick([2, 100, 500, 511, 513, 5_000]), isObject: random.chance(50)))
        case 1: .text(String(repeating: random.pick(["a", "é", "🂡", "\0"]), count: random.pick([255, 256, 5_000])))
        case 2: .raw(String(repeating: "9", count: random.pick([19, 20, 40, 400])))
        case 3: .raw(self.whole(&random))
        case 4...11: .raw(random.pick(Self.values))
        case 12...13: .text(FuzzInstant(&random).text)
        default: .text(random.pick(Self.texts))
        }
    }

    /// Returns a whole number whose digits and exponent are longer than its value needs.
    private static func whole(_ random: inout FuzzRandom) -> String {
        let zeros = random.pick([10, 60, 90, 98, 127, 130, 160, 240, 273])
        let digits = String(repeating: "0", count: zeros)
        let exponent = random.pick([0, 1, 15, 18, 19])
        return random.chance(50) ? "0.\(digits)1e\(zeros + 1 + exponent)" : "1\(digits)e\(exponent - zeros)"
    }

    private static func nested(_ depth: Int, isObject: Bool) -> String {
        let (open, close) = isObject ? ("{\"a\":", "}") : ("[", "]")
        return String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
    }

    private static let values = [
        "null", "true", "false", "0", "-0", "-1", "1", "2", "1.5", "-1.5", "0.1", "1e2", "1e999", "-1e999", "1e-999",
        "1e400",
        "1e18", "1e19", "1e308", "-1e308", "2147483647", "2147483648", "-2147483649", "4294967296", "9007199254740993",
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
        "18446744073709551615", "18446744073709551616", "253402300799999", "253402300800000", "253402300799999.6",
        "-62135596800001", "1e127", "1e128", "1e-128", "0.00000000000000000000000000000000000000000000000001", "NaN",
        "Infinity", "01", "1.", ".5", "+1", "0x10", "[]", "{}", "[null]", "[[]]", "{\"a\":1,\"a\":2}", "\"\\ud800\"",
    ]

    private static let texts = [
        "", " ", "\0", "0", "-1", "1", "1e5", "nan", "inf", "true", "null", "99999999999999999999",
        "9223372036854775807",
        "9223372036854775808", "253402300800000", "2026-11-21T01:31:00Z", "2026-11-21T01:31:00.123456789123456789Z",
        "2026-11-21T01:31:00+99:99", "99999999999999999999-01-01T00:00:00Z", "0000-00-00T00:00:00Z",
        "9999-12-31T23:59:60Z", "-0001-01-01T00:00:00Z", "2026-02-30T00:00:00Z", "2027-02-29T10:00:00Z",
        "2026-11-21T24:00:00Z", "2026-11-21T25:00:00Z", "2026-11-21T10:61:00Z", "2026-11-21T10:00:60Z",
        "2027-02-29 10:00:00 Etc/GMT", "1809-02-29T25:61:61Z",
        "2026-11-31T00:00:00+01:00", "2026-11-21T01:31:00", "2027-02-30", "2026-11-21T01:31:00.", "PRODUCTION",
        "Sandbox", "Xcode", "LocalTesting", "00000000-0000-0000-0000-000000000000", "not-a-uuid", "GPA.1..999999",
        "GPA.1..", "..", "e30=", "e30", "a.b.c", "P1M", "EUR", "com.example.app", "\u{FEFF}", "a\u{0301}\u{0301}",
        "\u{202E}", "\u{2028}", "%00", "../..", "Auto-Renewable Subscription", "Consumable", "FAMILY_SHARED",
    ]
}
