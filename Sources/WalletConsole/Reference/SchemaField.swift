import Yams

/// A member of a schema, or one of its alternatives, as the templates render it.
struct SchemaField {
    let name: String
    let type: String
    let isRequired: Bool
    let description: String?
    let limits: String?
    let fields: [SchemaField]
}

/// Reads the members of schemas.
struct SchemaReader {
    /// The maximum nesting depth whose members are listed.
    private static let depth = 4

    let document: OpenAPIDocument
    let markdown: Markdown

    /// Returns the members of a schema's values.
    ///
    /// - Parameters:
    ///   - schema: A schema, or a reference to one.
    ///   - seen: The components on the path to this schema, which end the recursion.
    /// - Returns: The members; for a list, those of its items; for alternatives, each alternative.
    func fields(of schema: Node, seen: [String] = []) -> [SchemaField] {
        let (node, name) = self.document.resolve(schema)
        if let name, seen.contains(name) { return [] }
        let path = seen + [name ?? ""]
        guard path.count <= Self.depth else { return [] }
        let required = Set((node["required"]?.items ?? []).compactMap(\.string))
        let own = (node["properties"]?.members ?? []).map { key, value in
            self.field(key, value, isRequired: required.contains(key), seen: path)
        }
        let inherited = (node["allOf"]?.items ?? []).flatMap { self.fields(of: $0, seen: path) }
        let items = node["items"].map { self.fields(of: $0, seen: path) } ?? []
        return inherited + own + items + self.alternatives(of: node, seen: path)
    }

    /// Describes a member or a parameter.
    func field(_ name: String, _ schema: Node, isRequired: Bool, seen: [String] = []) -> SchemaField {
        let node = self.document.resolve(schema).node
        let text = schema["description"]?.string ?? node["description"]?.string
        return SchemaField(
            name: name,
            type: self.type(of: schema),
            isRequired: isRequired,
            description: text.map { self.markdown.inline($0.trimmed) },
            limits: self.limits(of: node),
            fields: self.fields(of: schema, seen: seen)
        )
    }

    /// Returns the alternatives that are objects; the type's name already contains `null` and simple types.
    private func alternatives(of node: Node, seen: [String]) -> [SchemaField] {
        let options = ((node["oneOf"]?.items ?? []) + (node["anyOf"]?.items ?? [])).filter {
            !self.fields(of: $0, seen: seen).isEmpty
        }
        guard options.count > 1 else { return options.flatMap { self.fields(of: $0, seen: seen) } }
        return options.map { option in
            let (resolved, name) = self.document.resolve(option)
            return SchemaField(
                name: name ?? "",
                type: "one of \(options.count) alternatives",
                isRequired: false,
                description: resolved["description"]?.string.map { self.markdown.inline($0.trimmed) },
                limits: nil,
                fields: self.fields(of: option, seen: seen)
            )
        }
    }

    /// Returns the name of a type, such as `string`, `list of integer` or `object or null`.
    private func type(of schema: Node) -> String {
        let node = self.document.resolve(schema).node
        if let types = node["type"]?.items, !types.isEmpty {
            return types.compactMap(\.string).joined(separator: " or ")
        }
        if node["type"]?.string == "array" { return node["items"].map { "list of \(self.type(of: $0))" } ?? "list" }
        if let type = node["type"]?.string { return node["format"]?.string.map { "\(type), \($0)" } ?? type }
        let options = (node["oneOf"]?.items ?? []) + (node["anyOf"]?.items ?? [])
        var names: [String] = []
        for name in options.map({ self.type(of: $0) }) where !names.contains(name) { names.append(name) }
        return names.isEmpty ? "object" : names.joined(separator: " or ")
    }

    private func limits(of node: Node) -> String? {
        var parts: [String] = []
        if let values = node["enum"]?.items, !values.isEmpty {
            parts.append(
                "One of " + values.map { "<code>\(Markdown.escape($0.string ?? ""))</code>" }.joined(separator: ", ")
            )
        }
        for (key, label) in Self.bounds {
            guard let value = node[key]?.string else { continue }
            parts.append("\(label) <code>\(Markdown.escape(value))</code>")
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    private static let bounds = [
        ("const", "Always"), ("minimum", "At least"), ("maximum", "At most"), ("minLength", "Minimum length"),
        ("maxLength", "Maximum length"), ("maxItems", "Maximum items"), ("pattern", "Matches"), ("default", "Default"),
    ]
}

extension String {
    /// The text without the line break at the end of a YAML block.
    var trimmed: String { String(self.trimmingSuffix(while: \.isWhitespace)) }
}

extension StringProtocol {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> SubSequence {
        var end = self.endIndex
        while end > self.startIndex, predicate(self[self.index(before: end)]) { end = self.index(before: end) }
        return self[..<end]
    }
}
