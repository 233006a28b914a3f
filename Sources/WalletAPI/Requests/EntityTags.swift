import HTTPTypes
import Hummingbird

extension Request {
    /// Returns whether `If-None-Match` names the tag (RFC 9110, 13.1.2: weak comparison).
    func alreadyHolds(_ tag: String) -> Bool {
        self.headers[values: .ifNoneMatch].contains { value in
            value.split(separator: ",").contains { candidate in
                let candidate = candidate.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }
                let text = String(candidate.reversed())
                return text == "*" || text == tag || text == "W/" + tag
            }
        }
    }
}
