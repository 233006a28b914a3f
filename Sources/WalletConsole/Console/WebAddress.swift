import Foundation
import HTTPTypes

/// Builds addresses and queries.
enum WebAddress {
    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

    /// Escapes a text for one segment of a path or one value of a query.
    static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            Self.plain.contains(byte)
                ? String(UnicodeScalar(byte))
                : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    /// Returns a query with its question mark, sorted by name and without empty values; empty if there are no values.
    static func query(_ parameters: [String: String]) -> String {
        let pairs = parameters.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
        guard !pairs.isEmpty else { return "" }
        return "?" + pairs.map { "\(self.escaped($0.key))=\(self.escaped($0.value))" }.joined(separator: "&")
    }

    /// Returns the address of a console page.
    static func page(_ path: String, _ parameters: [String: String] = [:]) -> String {
        "/console" + (path.isEmpty ? "" : "/\(path)") + self.query(parameters)
    }
}

/// The fields of a form sent as `application/x-www-form-urlencoded`; if a field is sent twice, the first value is used.
struct FormText {
    let values: [String: String]

    init(_ text: String) {
        let pairs = text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(Self.plain)
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
        self.values = Dictionary(pairs) { first, _ in first }
    }

    private static func plain(_ text: Substring) -> String {
        text.replacing("+", with: " ").removingPercentEncoding ?? ""
    }
}

extension HTTPFields {
    /// Sets a field whose name has no constant in HTTPTypes; does nothing if the value is nil.
    mutating func set(_ name: String, _ value: String?) {
        guard let value, let name = HTTPField.Name(name) else { return }
        self[name] = value
    }

    /// Returns the value of a field whose name has no constant in HTTPTypes.
    func value(of name: String) -> String? {
        HTTPField.Name(name).flatMap { self[$0] }
    }
}
