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

    /// Says how much an operator wants to take and how much there is.
    ///
    /// - Parameter members: The refusal's own.
    /// - Returns: Such as "10 credits are to be taken, 5 are there."; nil where the members do not say.
    static func lowBalance(_ members: [String: JSONValue]) -> String? {
        guard case .number(let required) = members["required"], case .number(let available) = members["available"],
            case .text(let unit) = members["unit"]
        else { return nil }
        let taken = required == 1 ? "1 \(unit) is" : "\(required) \(unit)s are"
        return "\(taken) to be taken, \(available) \(available == 1 ? "is" : "are") there."
    }
}
