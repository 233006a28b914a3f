import Foundation
import Wallet

extension Problem {
    /// Says what a wallet lacks, in a sentence that can be shown as it is.
    ///
    /// - Parameter members: The refusal's own.
    /// - Returns: Such as "You need 15 more credits."; nil where the members do not say.
    static func shortage(_ members: [String: JSONValue]) -> String? {
        guard case .number(let needed) = members["credits_needed"], case .text(let unit) = members["unit"] else {
            return nil
        }
        let noun = needed == 1 ? unit : unit + "s"
        return "You need \(needed) more \(noun)."
    }
}
