import Foundation
import HTTPTypes
import Telemetry
import WalletAPI

/// Prints a readable line for each request to the wallet of a `dev`, such as
/// `14:03:11  409 POST   /bookings  class-full  12 ms`.
///
/// Paths are printed without queries. Requests for the demo page's own files are not printed.
struct DevRequestLog: RequestObserver {
    private static let pages = "/demo/"

    var output = LogOutput.standardOutput

    func requestBegan(_ method: HTTPRequest.Method) {}

    func requestEnded(_ request: ObservedRequest) {
        guard request.path != "/", !request.path.hasPrefix(Self.pages) else { return }
        self.output.write(Array("\(Self.line(of: request, at: .now))\n".utf8))
    }

    static func line(of request: ObservedRequest, at instant: Date) -> String {
        let time = instant.formatted(.iso8601.time(includingFractionalSeconds: false))
        let method = request.method.rawValue.padding(toLength: 6, withPad: " ", startingAt: 0)
        let milliseconds = Int((request.duration / .milliseconds(1)).rounded())
        let parts = [
            "\(time)  \(request.status) \(method) \(Self.printable(request.path))",
            request.problem,
            "\(milliseconds) ms",
        ]
        return parts.compactMap { $0 }.joined(separator: "  ")
    }

    /// Returns the path without characters that could break the line.
    private static func printable(_ path: String) -> String {
        path.unicodeScalars.allSatisfy { (0x21...0x7E).contains($0.value) }
            ? path : path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? "?"
    }
}
