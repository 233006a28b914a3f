import Foundation
import Wallet

extension Problem {
    /// Returns a sentence with the missing amount, which can be shown to the user.
    ///
    /// - Parameter members: The refusal's members.
    /// - Returns: A sentence such as "You need 15 more credits."; nil if the members are incomplete.
    static func shortage(_ members: [String: JSONValue]) -> String? {
        guard case .number(let needed) = members["credits_needed"], case .text(let unit) = members["unit"] else {
            return nil
        }
        let noun = needed == 1 ? unit : unit + "s"
        return "You need \(needed) more \(noun)."
    }

    /// Returns a sentence with the amount that an operator wants to deduct and the balance.
    ///
    /// - Parameter members: The refusal's members.
    /// - Returns: A sentence such as "Cannot deduct 10 credits; the balance is 5."; nil if the members are incomplete.
    static func lowBalance(_ members: [String: JSONValue]) -> String? {
        guard case .number(let required) = members["required"], case .number(let available) = members["available"],
            case .text(let unit) = members["unit"]
        else { return nil }
        let noun = required == 1 ? unit : unit + "s"
        return "Cannot deduct \(required) \(noun); the balance is \(available)."
    }
}
