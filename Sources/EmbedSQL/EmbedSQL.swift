import Foundation

@main
enum EmbedSQL {
    static func main() throws {}
}
