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
