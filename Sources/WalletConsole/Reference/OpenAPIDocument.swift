import Yams

/// The parts of an OpenAPI document that the reference shows, in the document's own order.
struct OpenAPIDocument {
    let root: Node

    /// Parses a document.
    ///
    /// - Parameter yaml: The document's text.
    /// - Throws: ``ReferenceError`` or Yams' error if the text is not an OpenAPI document.
    init(_ yaml: String) throws {
        guard let root = try Yams.compose(yaml: yaml), root["paths"] != nil else {
            throw ReferenceError("The text is not an OpenAPI document.")
        }
        self.root = root
    }

    var title: String { self.root["info"]?["title"]?.string ?? "" }
    var summary: String { self.root["info"]?["summary"]?.string ?? "" }
    var description: String { self.root["info"]?["description"]?.string ?? "" }

    /// The tags with their descriptions.
    var tags: [(name: String, description: String)] {
        (self.root["tags"]?.items ?? []).map { ($0["name"]?.string ?? "", $0["description"]?.string ?? "") }
    }

    /// The authentication methods.
    var securitySchemes: [(name: String, description: String)] {
        (self.root["components"]?["securitySchemes"]?.members ?? []).map {
            ($0.key, $0.value["description"]?.string ?? "")
        }
    }

    /// All operations: first those with a path, then the events that the service sends.
    var operations: [(method: String, path: String, node: Node)] {
        let methods: Set<String> = ["get", "put", "post", "delete", "patch"]
        let called = (self.root["paths"]?.members ?? []).flatMap { path, item in
            item.members.filter { methods.contains($0.key) }.map { ($0.key.uppercased(), path, $0.value) }
        }
        let sent = (self.root["webhooks"]?.members ?? []).compactMap { name, item in
            item["post"].map { ("EVENT", name, $0) }
        }
        return called + sent
    }

    /// Resolves a reference to a component.
    ///
    /// - Parameter node: A node, or a reference to one.
    /// - Returns: The node, and the component's name if the node was a reference.
    func resolve(_ node: Node) -> (node: Node, name: String?) {
        guard let reference = node["$ref"]?.string else { return (node, nil) }
        let parts = reference.split(separator: "/").dropFirst().map(String.init)
        let found = parts.reduce(self.root as Node?) { $0?[$1] }
        return (found ?? node, parts.last)
    }
}

/// An error that explains why the reference cannot be rendered.
struct ReferenceError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension Node {
    /// The members of a mapping in order; empty for other nodes.
    var members: [(key: String, value: Node)] {
        (self.mapping.map(Array.init) ?? []).map { ($0.key.string ?? "", $0.value) }
    }

    /// The items of a sequence; empty for other nodes.
    var items: [Node] { self.sequence.map(Array.init) ?? [] }
}
