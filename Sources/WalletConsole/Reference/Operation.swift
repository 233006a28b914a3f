import Yams

/// An operation, as the templates render it.
struct Operation {
    /// A response of the operation.
    struct Answer {
        let status: String
        let tone: String
        let description: String
        let text: String
        let fields: [SchemaField]
        let example: String?
    }

    let id: String
    let tag: String
    let method: String
    let path: String
    let summary: String
    let description: String?
    /// The description as Markdown.
    let text: String?
    let access: String
    /// A Boolean value that indicates whether clients can call the operation; an event cannot be called.
    let isCallable: Bool
    let parameters: [Parameter]
    let bodyFields: [SchemaField]
    let body: String?
    let plainBody: String?
    let answers: [Answer]
    let curl: String?
    let swift: String?
    let token: String
}

/// A parameter of an operation.
struct Parameter {
    let place: String
    let example: String
    let field: SchemaField
}

/// Reads the operations of a document.
struct OperationReader {
    let document: OpenAPIDocument
    let markdown: Markdown

    private var schemas: SchemaReader { SchemaReader(document: self.document, markdown: self.markdown) }

    /// Reads an operation.
    func operation(_ method: String, _ path: String, _ node: Node) -> Operation {
        let parameters = (node["parameters"]?.items ?? []).map(self.parameter)
        let content = node["requestBody"]?["content"]?.members.first?.value
        let example = content.flatMap(self.example)
        let id = node["operationId"]?.string ?? path
        let security = (node["security"] ?? self.document.root["security"])?.items.first?.members.first?.key
        let isCallable = method != "EVENT"
        let text = node["description"]?.string?.trimmed
        return Operation(
            id: id,
            tag: node["tags"]?.items.first?.string ?? "",
            method: method,
            path: path,
            summary: (node["summary"]?.string ?? "").replacing("`", with: ""),
            description: text.map(self.markdown.html),
            text: text,
            access: Self.access(isCallable ? security : "event"),
            isCallable: isCallable,
            parameters: parameters,
            bodyFields: content?["schema"].map { self.schemas.fields(of: $0) } ?? [],
            body: example.map(JSONText.html),
            plainBody: example.map(JSONText.plain),
            answers: (node["responses"]?.members ?? []).map(self.answer),
            curl: isCallable
                ? CurlLine(method: method, path: path, parameters: parameters, body: example, security: security).text
                : nil,
            swift: SwiftSamples.calls[id],
            token: security == "userToken" ? "user" : security == "operatorToken" ? "operator" : ""
        )
    }

    private func parameter(_ reference: Node) -> Parameter {
        let node = self.document.resolve(reference).node
        let schema = node["schema"] ?? Node("")
        let field = self.schemas.field(
            node["name"]?.string ?? "",
            schema,
            isRequired: node["required"]?.bool ?? false
        )
        return Parameter(
            place: node["in"]?.string ?? "",
            example: node["example"]?.string ?? "",
            field: SchemaField(
                name: field.name,
                type: field.type,
                isRequired: field.isRequired,
                description: node["description"]?.string.map { self.markdown.inline($0.trimmed) } ?? field.description,
                limits: field.limits,
                fields: []
            )
        )
    }

    private func answer(_ status: String, _ reference: Node) -> Operation.Answer {
        let node = self.document.resolve(reference).node
        let content = node["content"]?.members.first { $0.key != "application/problem+json" }?.value
        let problem = node["content"]?["application/problem+json"]
        let text = node["description"]?.string?.trimmed ?? ""
        let isFailure = "45".contains(status.first ?? "2")
        return Operation.Answer(
            status: status,
            tone: isFailure ? "bad" : "good",
            description: self.markdown.html(text),
            text: text.replacing("\n", with: " "),
            // All problem documents have the same members; the overview and the problems' own pages show them.
            fields: isFailure ? [] : content?["schema"].map { self.schemas.fields(of: $0) } ?? [],
            example: (isFailure ? problem : content).flatMap(self.example).map(self.written)
        )
    }

    /// Formats an example: a stream's example is text, all others are JSON.
    private func written(_ example: Node) -> String {
        if case .scalar(let scalar) = example, scalar.style == .literal { return Markdown.escape(scalar.string) }
        return JSONText.html(example)
    }

    private func example(in content: Node) -> Node? {
        content["example"] ?? content["examples"]?.members.first?.value["value"]
    }

    private static func access(_ scheme: String?) -> String {
        switch scheme {
        case "userToken": "User token"
        case "operatorToken": "Operator token"
        case "event": "Sent to your endpoint"
        case nil: "Public"
        default: "Store authentication"
        }
    }
}

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
