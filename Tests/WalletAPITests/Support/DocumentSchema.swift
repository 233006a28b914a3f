import Foundation
import Testing
import Yams

@testable import WalletAPI

/// A validator for the schemas of `openapi.yaml`, as far as responses need it: required members and their types.
struct DocumentSchema {
    let document: [String: Any]

    /// The document, parsed once for all tests and never changed.
    private nonisolated(unsafe) static let parsed = Result {
        try #require(try Yams.load(yaml: EmbeddedOpenAPI.yaml) as? [String: Any])
    }

    init() throws {
        self.document = try Self.parsed.get()
    }

    /// Returns the violations of a schema in `components`; empty if the value is valid.
    func faults(of value: Any, by name: String) throws -> [String] {
        try self.faults(value, try self.resolve("#/components/schemas/\(name)"), name)
    }

    /// Returns the violations of the schema of an operation's response with the status 200.
    func faults(of value: Any, path: String, method: String) throws -> [String] {
        let path = path.replacing("/", with: "~1")
        let schema = try self.resolve("#/paths/\(path)/\(method)/responses/200/content/application~1json/schema")
        return try self.faults(value, schema, "answer")
    }

    /// Returns the members that the rows of a list may have and must have, in the response of a path's `GET`.
    func members(of list: String, inAnswerOf path: String) throws -> (names: Set<String>, required: Set<String>) {
        let path = path.replacing("/", with: "~1")
        let answer = try self.resolve("#/paths/\(path)/get/responses/200/content/application~1json/schema")
        let array = try #require((answer["properties"] as? [String: Any])?[list] as? [String: Any], "\(list)")
        let reference = try #require((array["items"] as? [String: Any])?["$ref"] as? String, "\(list)")
        let row = try self.resolve(reference)
        let names = try #require(row["properties"] as? [String: Any], "\(list)").keys
        return (Set(names), Set(row["required"] as? [String] ?? []))
    }

    private func resolve(_ reference: String) throws -> [String: Any] {
        var found: Any = self.document
        for part in reference.split(separator: "/").dropFirst() {
            let name = String(part).replacing("~1", with: "/")
            found = try #require((found as? [String: Any])?[name], "\(reference)")
        }
        return try #require(found as? [String: Any], "\(reference)")
    }

    private func faults(_ value: Any, _ schema: [String: Any], _ place: String) throws -> [String] {
        if let reference = schema["$ref"] as? String {
            return try self.faults(value, try self.resolve(reference), place)
        }
        var faults: [String] = []
        for part in schema["allOf"] as? [[String: Any]] ?? [] { faults += try self.faults(value, part, place) }
        if let parts = schema["oneOf"] as? [[String: Any]] {
            let fits = try parts.filter { try self.faults(value, $0, place).isEmpty }
            if fits.count != 1 { faults.append("\(place) fits \(fits.count) of its forms") }
        }
        let types = schema["type"] as? [String] ?? (schema["type"] as? String).map { [$0] } ?? []
        if !types.isEmpty, !types.contains(where: { Self.isOfType(value, $0) }) {
            faults.append("\(place) is no \(types)")
        }
        if let choices = schema["enum"] as? [Any], !choices.contains(where: { "\($0)" == "\(value)" }) {
            faults.append("\(place) is none of its choices")
        }
        if let object = value as? [String: Any] { faults += try self.faults(object, members: schema, place) }
        if let array = value as? [Any], let items = schema["items"] as? [String: Any] {
            for (index, item) in array.enumerated() { faults += try self.faults(item, items, "\(place)[\(index)]") }
        }
        return faults
    }

    private func faults(_ object: [String: Any], members schema: [String: Any], _ place: String) throws -> [String] {
        var faults: [String] = []
        for name in schema["required"] as? [String] ?? [] where object[name] == nil {
            faults.append("\(place) has no \(name)")
        }
        for (name, member) in schema["properties"] as? [String: [String: Any]] ?? [:] {
            guard let value = object[name] else { continue }
            faults += try self.faults(value, member, "\(place).\(name)")
        }
        return faults
    }

    private static func isOfType(_ value: Any, _ type: String) -> Bool {
        switch type {
        case "object": value is [String: Any]
        case "array": value is [Any]
        case "string": value is String
        case "boolean": value is Bool
        case "null": value is NSNull
        case "integer": value is Int && !(value is NSNull)
        case "number": value is Double || value is Int
        default: false
        }
    }
}
