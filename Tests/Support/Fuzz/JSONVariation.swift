public import Foundation

/// A JSON text with one changed member; the rest is unchanged.
public struct JSONVariation: Sendable, CustomStringConvertible {
    /// The change to the member.
    public enum Change: String, Sendable, CaseIterable {
        /// The member is missing.
        case missing
        /// The member is `null`.
        case null
        /// The member is a text without meaning.
        case text
        /// The member is a small number.
        case number
        /// The member is true.
        case flag
        /// The member is a list.
        case list
        /// The member is an object.
        case object
        /// The member is an empty value of its own type.
        case empty
        /// The member is a number in quotes, or a quoted number without quotes.
        case quotes
        /// The member is an instant in the distant past.
        case past
        /// The member is an instant in the year 9999.
        case future

        /// A Boolean value that indicates whether the change removes the member's value.
        public var isAbsence: Bool { [.missing, .null, .empty].contains(self) }
    }

    /// The path to the member; an element of a list is given by its index.
    public let path: [String]
    /// The change to the member.
    public let change: Change
    /// The whole changed text.
    public let json: Data

    /// The member's own name.
    public var name: String { self.path.last { Int($0) == nil } ?? "" }
    /// The path of the member and the change.
    public var description: String { "\(self.path.joined(separator: ".")) \(self.change.rawValue)" }

    /// Returns every variation of every member, at any depth.
    ///
    /// - Parameter json: A valid JSON text.
    /// - Returns: The variations in a stable order.
    /// - Throws: `DecodingError` if the text is not JSON.
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
    /// The paths to each member and each element.
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

    /// Returns this value with the member at the path changed, or nil if the change does not apply.
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

    /// Returns another instant in the same format, or nil if the value is not an instant.
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
    /// A Boolean value that indicates whether the text is a count of milliseconds since 1970, from 1973 on.
    fileprivate var isInstant: Bool { (12...14).contains(self.count) && self.allSatisfy(\.isNumber) }
}
