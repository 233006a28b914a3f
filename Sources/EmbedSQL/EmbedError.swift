/// An error that prevents a file from being embedded; its description appears in the build log.
enum EmbedError: Error, CustomStringConvertible {
    case usage
    case notText(String)
    case problem(path: String, line: Int, reason: String)

    var description: String {
        switch self {
        case .usage: "usage: EmbedSQL (sql|demo|console|reference|guides|openapi|problems) INPUT OUTPUT"
        case .notText(let path): "\(path) is not UTF-8 text with LF line ends"
        case .problem(let path, let line, let reason): "\(path):\(line): error: \(reason)"
        }
    }
}
