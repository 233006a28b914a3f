/// What keeps a file from being embedded; the text goes to the build's log.
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
