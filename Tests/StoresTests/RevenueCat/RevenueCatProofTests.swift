import Foundation
import Stores
import Testing

@Suite
struct RevenueCatProofTests {
    private let body: Data
    private let signed = RevenueCatWebhook(signingSecrets: [RevenueCatPost.secret])

    init() throws {
        self.body = try RevenueCatPost.purchase("INITIAL_PURCHASE")
    }

    @Test
    func `without a configured proof every message is refused`() {
        let signature = RevenueCatPost.signature(of: self.body)
        let open = RevenueCatWebhook()
        #expect(open.refusal(authorization: "anything", signature: signature, of: self.body) == .misconfigured)
    }

    @Test
    func `empty text is no proof, even with another valid one`() {
        #expect(RevenueCatWebhook(authorizations: [""]).refusal(authorization: "", of: self.body) == .misconfigured)
        let half = RevenueCatWebhook(authorizations: ["Bearer a"], signingSecrets: [""])
        #expect(half.refusal(authorization: "Bearer a", of: self.body) == .misconfigured)
    }

    @Test
    func `the configured authorization is compared exactly`() {
        let webhook = RevenueCatWebhook(authorizations: ["Bearer old", "new value"])
        #expect(webhook.refusal(authorization: "Bearer old", of: self.body) == nil)
        #expect(webhook.refusal(authorization: "new value", of: self.body) == nil)
        for wrong in ["bearer old", "Bearer old ", "Bearer ol", "Bearer oldd", "old", ""] {
            #expect(webhook.refusal(authorization: wrong, of: self.body) == .unauthenticated, "\(wrong)")
        }
        #expect(webhook.refusal(of: self.body) == .unauthenticated)
    }

    @Test
    func `a signature over the raw body is accepted, in upper or lower case hex`() throws {
        let signature = RevenueCatPost.signature(of: self.body)
        #expect(self.signed.refusal(signature: signature, of: self.body) == nil)
        let code = RevenueCatPost.code(of: self.body, at: "1790800914").uppercased()
        #expect(self.signed.refusal(signature: "t=1790800914, v1=\(code)", of: self.body) == nil)
    }

    @Test
    func `when both proofs are configured both must hold`() {
        let webhook = RevenueCatWebhook(authorizations: ["a"], signingSecrets: [RevenueCatPost.secret])
        let signature = RevenueCatPost.signature(of: self.body)
        #expect(webhook.refusal(authorization: "a", signature: signature, of: self.body) == nil)
        #expect(webhook.refusal(authorization: "a", of: self.body) == .unauthenticated)
        #expect(webhook.refusal(signature: signature, of: self.body) == .unauthenticated)
        #expect(webhook.refusal(authorization: "b", signature: signature, of: self.body) == .unauthenticated)
        #expect(webhook.refusal(authorization: "a", signature: "t=1,v1=00", of: self.body) == .unauthenticated)
    }

    @Test
    func `a forged, truncated or changed body is refused`() throws {
        let signature = RevenueCatPost.signature(of: self.body)
        let other = try RevenueCatPost.purchase("INITIAL_PURCHASE", ["app_user_id": "eve"])
        #expect(self.signed.refusal(signature: signature, of: other) == .unauthenticated)
        #expect(self.signed.refusal(signature: signature, of: self.body.dropLast()) == .unauthenticated)
        #expect(self.signed.refusal(signature: signature, of: self.body + Data(" ".utf8)) == .unauthenticated)
        #expect(self.signed.refusal(signature: signature, of: Data()) == .unauthenticated)
    }

    @Test
    func `a signature by another secret is refused, and one by any current secret is taken`() {
        let old = RevenueCatPost.signature(of: self.body, secret: "old")
        #expect(self.signed.refusal(signature: old, of: self.body) == .unauthenticated)
        let rotating = RevenueCatWebhook(signingSecrets: ["old", RevenueCatPost.secret])
        #expect(rotating.refusal(signature: old, of: self.body) == nil)
        #expect(rotating.refusal(signature: RevenueCatPost.signature(of: self.body), of: self.body) == nil)
    }

    @Test
    func `one valid code of several is enough, and fields of later schemes are ignored`() {
        let good = RevenueCatPost.code(of: self.body, at: "1790800914")
        let bad = String(repeating: "0", count: 64)
        for header in ["t=1790800914,v1=\(bad),v1=\(good)", "v2=x,v1=\(good),t=1790800914,nonsense,v1=short"] {
            #expect(self.signed.refusal(signature: header, of: self.body) == nil, "\(header)")
        }
        #expect(self.signed.refusal(signature: "t=1790800914,v1=\(bad)", of: self.body) == .unauthenticated)
        #expect(self.signed.refusal(signature: "t=1790800914,v2=\(good)", of: self.body) == .unauthenticated)
    }

    @Test(arguments: [-300.0, 300.0])
    func `a signature is valid for five minutes in both directions`(offset: Double) {
        let edge = RevenueCatPost.signature(of: self.body, at: webhookArrival.addingTimeInterval(offset))
        #expect(self.signed.refusal(signature: edge, of: self.body) == nil)
        let beyond = webhookArrival.addingTimeInterval(offset + (offset < 0 ? -1 : 1))
        let late = RevenueCatPost.signature(of: self.body, at: beyond)
        #expect(self.signed.refusal(signature: late, of: self.body) == .unauthenticated)
    }

    @Test
    func `a replayed message cannot be given a new time`() {
        let old = RevenueCatPost.code(of: self.body, at: "1790000000")
        #expect(self.signed.refusal(signature: "t=1790800914,v1=\(old)", of: self.body) == .unauthenticated)
        #expect(
            self.signed.refusal(signature: "t=1790000000,t=1790800914,v1=\(old)", of: self.body) == .unauthenticated
        )
    }

    @Test(arguments: ["+1790800914", "1790800914.0", "0x6abd3d12", " 1790800914", "", "17908009140000000"])
    func `a time with other characters than digits is refused`(time: String) {
        let code = RevenueCatPost.code(of: self.body, at: time)
        #expect(self.signed.refusal(signature: "t=\(time),v1=\(code)", of: self.body) == .unauthenticated)
    }

    @Test
    func `a repeated time is refused, whichever is signed`() {
        let code = RevenueCatPost.code(of: self.body, at: "1790800914")
        let header = "t=1790800914,t=1790800914,v1=\(code)"
        #expect(self.signed.refusal(signature: header, of: self.body) == .unauthenticated)
    }

    @Test
    func `an endless header is refused without work`() {
        let code = RevenueCatPost.code(of: self.body, at: "1790800914")
        let header = "t=1790800914" + String(repeating: ",v1=\(code)", count: 11)
        #expect(self.signed.refusal(signature: header, of: self.body) == .unauthenticated)
    }

    @Test
    func `an oversized body is refused before its signature is checked`() {
        let body = Data(repeating: 0x20, count: 1_024 * 1_024 + 1)
        #expect(self.signed.refusal(signature: "t=1,v1=00", of: body) == .unreadable)
        #expect(self.signed.unreadable(body) == .unreadable)
    }
}
