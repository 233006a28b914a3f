import Foundation

/// Parses the responses of a token endpoint (RFC 6749, OpenID Connect Core 3.1.3.3).
enum TokenAnswer {
    private struct Tokens: Decodable {
        let type: String
        let idToken: String

        enum CodingKeys: String, CodingKey {
            case type = "token_type"
            case idToken = "id_token"
        }
    }

    private struct Refusal: Decodable {
        let error: String
    }

    /// Returns the ID token; the other tokens are not needed and not stored.
    static func idToken(json: Data) throws(SignInError) -> String {
        let tokens: Tokens
        do {
            tokens = try JSONDecoder().decode(Tokens.self, from: json)
        } catch {
            throw .answerUnreadable
        }
        guard tokens.type.lowercased() == "bearer" else { throw .answerUnreadable }
        return tokens.idToken
    }

    /// Returns the reason for a refused exchange, without any text from the issuer.
    static func refusal(status: Int, json: Data) -> SignInError {
        guard (400..<500).contains(status) else { return .issuerUnavailable }
        switch (try? JSONDecoder().decode(Refusal.self, from: json))?.error {
        case "invalid_grant": return .codeRefused
        case "invalid_client", "unauthorized_client": return .clientRefused
        default: return status == 401 ? .clientRefused : .exchangeRefused
        }
    }
}
