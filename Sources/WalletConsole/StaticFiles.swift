import Crypto
import HTTPTypes
import Hummingbird
import NIOCore

/// Serves files embedded in the binary: pages, style sheets and scripts that load nothing from other hosts.
///
/// An `ETag` lets browsers cache them. The content security policy allows a page's own script files but no inline
/// scripts.
struct StaticFiles: Sendable {
    /// One file.
    struct File: Sendable {
        let contents: ByteBuffer
        let type: String
        let tag: String
    }

    static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    /// The icon of all pages.
    static let icon = EmbeddedDemo.files.filter { $0.path == "icon.svg" }

    private let files: [String: File]

    /// Creates a set of files.
    ///
    /// - Parameter files: The names and contents of the files.
    init(_ files: [(path: String, contents: String)]) {
        self.files = Dictionary(uniqueKeysWithValues: files.map { ($0.path, File($0.path, $0.contents)) })
    }

    /// The names of the files.
    var names: [String] { self.files.keys.sorted() }

    /// Returns whether a file with this name exists.
    func has(_ name: String) -> Bool { self.files[name] != nil }

    /// Returns the response to a request for a file.
    ///
    /// - Parameters:
    ///   - name: The file's name.
    ///   - request: The request; if its `If-None-Match` matches, the response has no contents.
    /// - Returns: The file, 304 or 404.
    func response(_ name: String, to request: Request) -> Response {
        guard let file = self.files[name] else { return Response(status: .notFound) }
        var headers: HTTPFields = [.eTag: file.tag, .cacheControl: "no-cache", .contentSecurityPolicy: Self.policy]
        guard request.headers[.ifNoneMatch] != file.tag else { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = file.type
        headers[.contentLength] = String(file.contents.readableBytes)
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: file.contents))
    }
}

extension StaticFiles.File {
    fileprivate init(_ name: String, _ text: String) {
        self.contents = ByteBuffer(string: text)
        let digest = SHA256.hash(data: Array(text.utf8)).prefix(8)
        self.tag = "\"\(digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())\""
        self.type =
            switch name.split(separator: ".").last {
            case "html": "text/html; charset=utf-8"
            case "css": "text/css; charset=utf-8"
            case "js": "text/javascript; charset=utf-8"
            case "svg": "image/svg+xml"
            case "json": "application/json"
            case "md": "text/markdown; charset=utf-8"
            default: "text/plain; charset=utf-8"
            }
    }
}
