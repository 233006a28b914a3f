public import Foundation

/// A JSON text with one member made something else and everything else left as it is.
public struct JSONVariation: Sendable, CustomStringConvertible {
    /// What became of the member.
    public enum Change: String, Sendable, CaseIterable {
        /// It is not there.
        case missing
        /// It is `null`.
        case null
        /// It is text that says nothing.
        case text
        /// It is a small number.
        case number
        /// It is true.
        case flag
        /// It is a list.
        case list
        /// It is an object.
        case object
        /// It is of its own kind with nothing in it.
        case empty
        /// A number in quotes, or one that was in quotes without them.
        case quotes
        /// An instant long ago.
        case past
        /// An instant in the year 9999.
        case future

        /// The member is not there, in one of the ways of saying so.
        public var isAbsence: Bool { [.missing, .null, .empty].contains(self) }
    }

    /// The names that lead to the member; a place in a list is its number.
    public let path: [String]
    /// What became of it.
    public let change: Change
    /// The whole text.
    public let json: Data

    /// The member's own name.
    public var name: String { self.path.last { Int($0) == nil } ?? "" }
    /// The member and what became of it.
    public var description: String { "\(self.path.joined(separator: ".")) \(self.change.rawValue)" }

    /// Every variation of every member, at any depth.
    ///
    /// - Parameter json: A valid JSON text.
    /// - Returns: The variations in a stable order.
    /// - Throws: `DecodingError` for what is no JSON.
    public static func all(of json: Data) throws -> [JSONVariation] {
        let whole = try FuzzJSON(json)
        return whole.paths.flatMap { path in
            Change.allCases.compactMap { change in
                whole.varied(path[...], change).map { varied in
                    JSONVariation(path: path, change: change, json: Data(varied.json.utf8))
                }
            }
        }
    }
}

extension FuzzJSON {
    /// The way to each member and each element.
    fileprivate var paths: [[String]] {
        switch self {
        case .raw, .text: []
        case .list(let elements):
            elements.enumerated().flatMap { place, element in
                [["\(place)"]] + element.paths.map { ["\(place)"] + $0 }
            }
        case .object(let members):
            members.flatMap { name, value in [[name]] + value.paths.map { [name] + $0 } }
        }
    }

    /// This value with the member at the path changed; nil where the change makes no sense for it.
    fileprivate func varied(_ path: ArraySlice<String>, _ change: JSONVariation.Change) -> FuzzJSON? {
        guard let step = path.first else { return self.changed(change) }
        let rest = path.dropFirst()
        let isRemoved = rest.isEmpty && change == .missing
        switch self {
        case .raw, .text: return nil
        case .list(var elements):
            guard let place = Int(step) else { return nil }
            guard !isRemoved else {
                elements.remove(at: place)
                return .list(elements)
            }
            guard let varied = elements[place].varied(rest, change) else { return nil }
            elements[place] = varied
            return .list(elements)
        case .object(let members):
            guard !isRemoved else { return .object(members.filter { $0.0 != step }) }
            guard let varied = members.first(where: { $0.0 == step })?.1.varied(rest, change) else { return nil }
            return .object(members.map { $0.0 == step ? (step, varied) : $0 })
        }
    }

    private func changed(_ change: JSONVariation.Change) -> FuzzJSON? {
        switch (change, self) {
        case (.missing, _), (.text, .text), (.list, .list), (.object, .object): nil
        case (.null, _): .raw("null")
        case (.text, _): .text("x")
        case (.number, .raw(let raw)), (.number, .text(let raw)): Double(raw) == nil ? .raw("7") : nil
        case (.number, _): .raw("7")
        case (.flag, .raw("true")), (.flag, .raw("false")): nil
        case (.flag, .text("true")), (.flag, .text("false")): nil
        case (.flag, _): .raw("true")
        case (.list, _): .list([])
        case (.object, _): .object([])
        case (.empty, .text): .text("")
        case (.empty, .list): .list([])
        case (.empty, .object): .object([])
        case (.empty, .raw): nil
        case (.quotes, .raw(let raw)): Double(raw) == nil ? nil : .text(raw)
        case (.quotes, .text(let text)): Int64(text) == nil && Bool(text) == nil ? nil : .raw(text)
        case (.quotes, _): nil
        case (.past, _): self.dated(milliseconds: 1_000_000_000_000, day: "2001-09-09", time: "01:46:40")
        case (.future, _): self.dated(milliseconds: 253_370_764_800_000, day: "9999-01-01", time: "00:00:00")
        }
    }

    /// Another instant in the same form; nil for what is no instant.
    private func dated(milliseconds: Int64, day: String, time: String) -> FuzzJSON? {
        switch self {
        case .raw(let raw): raw.isInstant ? .raw("\(milliseconds)") : nil
        case .text(let text) where text.isInstant: .text("\(milliseconds)")
        case .text(let text) where text.contains(/^\d{4}-\d\d-\d\dT/): .text("\(day)T\(time)Z")
        case .text(let text) where text.hasSuffix("Etc/GMT"): .text("\(day) \(time) Etc/GMT")
        default: nil
        }
    }
}

extension String {
    /// A count of milliseconds since 1970, of a year from 1973 on.
    fileprivate var isInstant: Bool { (12...14).contains(self.count) && self.allSatisfy(\.isNumber) }
}
