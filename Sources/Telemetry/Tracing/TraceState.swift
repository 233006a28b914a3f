/// The field `tracestate`: data of the services on the way of a trace, by their keys.
enum TraceState {
    private static let maximumMembers = 32
    private static let maximumLength = 512
    private static let longMember = 128
    private static let maximumKey = 256
    private static let maximumTenant = 241
    private static let maximumSystem = 14

    /// Returns the members of a caller's field to pass on.
    ///
    /// - Parameter text: The field, several joined by commas.
    /// - Returns: The members, without the longest ones if the field is too long; nil if there are none, and for an
    ///   invalid field, which is dropped completely.
    static func carried(_ text: String) -> String? {
        let members = text.split(separator: ",", omittingEmptySubsequences: true).map(Self.trimmed)
            .filter { !$0.isEmpty }
        guard members.count <= Self.maximumMembers, members.allSatisfy(Self.isMember) else { return nil }
        guard Set(members.map(Self.key)).count == members.count, !members.isEmpty else { return nil }
        return Self.shortened(members)
    }

    /// Removes long members first, then the last ones, which are the oldest.
    private static func shortened(_ all: [Substring]) -> String? {
        var members = all
        while Self.length(members) > Self.maximumLength {
            let long = members.lastIndex { $0.utf8.count > Self.longMember }
            members.remove(at: long ?? members.count - 1)
        }
        return members.isEmpty ? nil : members.joined(separator: ",")
    }

    private static func length(_ members: [Substring]) -> Int {
        members.reduce(members.count - 1) { $0 + $1.utf8.count }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let head = text.drop(while: isBlank)
        return head[..<(head.lastIndex { !isBlank($0) }.map(head.index(after:)) ?? head.startIndex)]
    }

    private static func key(_ member: Substring) -> Substring {
        member.prefix { $0 != "=" }
    }

    private static func isMember(_ member: Substring) -> Bool {
        let key = Self.key(member)
        guard Self.isKey(key), key.endIndex < member.endIndex else { return false }
        let value = member[member.index(after: key.endIndex)...].utf8
        return (1...256).contains(value.count)
            && value.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ",") }
    }

    /// Returns `true` for a valid key: a name, or a tenant's name and a system's name joined by `@`.
    private static func isKey(_ key: Substring) -> Bool {
        let parts = key.split(separator: "@", omittingEmptySubsequences: false)
        switch parts.count {
        case 1: return Self.isName(parts[0], atMost: Self.maximumKey, beginsWithDigit: false)
        case 2:
            return Self.isName(parts[0], atMost: Self.maximumTenant, beginsWithDigit: true)
                && Self.isName(parts[1], atMost: Self.maximumSystem, beginsWithDigit: false)
        default: return false
        }
    }

    private static func isName(_ name: Substring, atMost limit: Int, beginsWithDigit: Bool) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= limit else { return false }
        guard Self.isLetter(first) || (beginsWithDigit && Self.isDigit(first)) else { return false }
        return name.utf8.allSatisfy { Self.isLetter($0) || Self.isDigit($0) || "_-*/".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
