/// An error that prevents a file from being embedded; its description appears in the build log.
enum EmbedError: Error, CustomStringConvertible {
    case usage
    case notText(String)

    var description: String {
        switch self {
        case .usage: "usage: EmbedSQL (sql|demo|reference|guides) FOLDER OUTPUT, or EmbedSQL openapi FILE OUTPUT"
        case .notText(let path): "\(path) is not UTF-8 text with LF line ends"
        }
    }
}
