/// What keeps a file from being embedded; the text goes to the build's log.
enum EmbedError: Error, CustomStringConvertible {
    case usage
    case notText(String)

    var description: String {
        switch self {
        case .usage: "usage: EmbedSQL (sql FOLDER | demo FOLDER | openapi FILE) OUTPUT"
        case .notText(let path): "\(path) is not UTF-8 text with LF line ends"
        }
    }
}
