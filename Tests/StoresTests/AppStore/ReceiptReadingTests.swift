import Foundation
import Testing

@testable import Stores

@Suite
struct ReceiptReadingTests {
    /// Returns a response in the current format with the given transactions.
    private func answer(
        purchases: String = "",
        latest: String? = nil,
        renewals: String? = nil,
        environment: String = #""environment":"Production","#,
        receipt: String = #""receipt_type":"Production","bundle_id":"com.example.app","#
    ) -> String {
        let latest = latest.map { #","latest_receipt_info":\#($0)"# } ?? ""
        let renewals = renewals.map { #","pending_renewal_info":\#($0)"# } ?? ""
        return
            #"{"status":0,\#(environment)"receipt":{\#(receipt)"request_date_ms":"1700000000123","in_app":[\#(purchases)]}"#
            + latest + renewals + "}"
    }

    private let pack = #"""
        {"quantity":"1","product_id":"starter","transaction_id":"100","original_transaction_id":"100",
        "purchase_date":"2023-11-14 22:13:20 Etc/GMT","purchase_date_ms":"1700000000000","is_trial_period":"false"}
        """#

    private func period(_ id: String, from start: Int, members: String = "") -> String {
        #"""
        {"quantity":"1","product_id":"monthly","transaction_id":"\#(id)","original_transaction_id":"7",
        "web_order_line_item_id":"w\#(id)","purchase_date_ms":"\#(start)000","expires_date_ms":"\#(start + 100)000"\#(members)}
        """#
    }

    private func read(_ answer: String, _ body: @escaping @Sendable (VerifiedReceipt) throws -> Void) async throws {
        try await CannedStore.read(answer) { try body(try $0.get()) }
    }

    private func expect(_ code: StoreError.Code, for answer: String) async throws {
        try await CannedStore.read(answer) { outcome in
            guard case .failure(let error) = outcome else {
                Issue.record("accepted: \(outcome)")
                return
            }
            #expect(error.code == code)
        }
    }

    @Test
    func `a receipt without purchases is valid and has no facts`() async throws {
        try await self.read(self.answer()) { verified in
            #expect(verified.facts.isEmpty)
            #expect(verified.skipped.isEmpty)
            #expect(verified.requestedAt == Date(timeIntervalSince1970: 1_700_000_000.123))
        }
        try await self.read(#"{"status":0,"receipt":{"bundle_id":"com.example.app"}}"#) { verified in
            #expect(verified.facts.isEmpty)
            #expect(verified.skipped.isEmpty)
        }
    }

    @Test
    func `without a request date the wallet's clock dates the response`() async throws {
        try await self.read(#"{"status":0,"receipt":{"bundle_id":"com.example.app","in_app":[\#(self.pack)]}}"#) {
            #expect($0.requestedAt == Date(timeIntervalSince1970: 1_800_000_000))
            #expect($0.facts.first?.sourceAt == Date(timeIntervalSince1970: 1_800_000_000))
        }
    }

    @Test
    func `numbers and flags are read with and without quotes`() async throws {
        let purchase = #"""
            {"quantity":2,"product_id":"starter","transaction_id":2000000123456789,"original_transaction_id":2000000123456789,
            "purchase_date_ms":1700000000000,"is_trial_period":false,"is_upgraded":0,"cancellation_date_ms":null,
            "app_account_token":"","something_new":{"a":[1]}}
            """#
        try await self.read(
            self.answer(purchases: purchase).replacingOccurrences(of: #""status":0"#, with: #""status":"0""#)
        ) {
            let fact = try #require($0.facts.first)
            #expect(fact.transactionID == "2000000123456789")
            #expect(fact.originalTransactionID == "2000000123456789")
            #expect(fact.quantity == 2)
            #expect(fact.purchasedAt == Date(timeIntervalSince1970: 1_700_000_000))
            #expect(fact.appAccountToken == nil)
            #expect(fact.refundedMillionths == nil)
            #expect($0.skipped.isEmpty)
        }
    }

    @Test(arguments: [
        (#""is-retryable":0"#, 1), (#""is-retryable":"0""#, 1), (#""is-retryable":false"#, 1),
        (#""is_retryable":"false""#, 1),
        (#""is-retryable":1"#, 3), (#""is_retryable":true"#, 3), (#""other":0"#, 3),
    ])
    func `the flag of a permanent failure is read in every spelling`(mark: String, attempts: Int) async throws {
        try await self.expect(
            attempts == 1 ? .rejected : .unavailable,
            for: #"{"status":21150,\#(mark)}"#
        )
    }

    @Test
    func `an old-style receipt is its own transaction`() async throws {
        let old = #"""
            {"status":0,"receipt":{"bid":"com.example.app","bvrs":"1","product_id":"starter","transaction_id":"100",
            "original_transaction_id":"100","quantity":"4","purchase_date":"2013-08-27 21:25:11 Etc/GMT",
            "purchase_date_ms":"1377638711000","unique_identifier":"x"}}
            """#
        try await self.read(old) {
            let fact = try #require($0.facts.first)
            #expect($0.bundleID == "com.example.app")
            #expect(fact.transactionID == "100")
            #expect(fact.quantity == 4)
            #expect(fact.kind == .oneTime)
        }
    }

    @Test
    func `an old-style subscription has its expiry and its latest period`() async throws {
        let old = #"""
            {"status":0,"receipt":{"bid":"com.example.app","product_id":"monthly","transaction_id":"1","original_transaction_id":"1",
            "quantity":"1","purchase_date_ms":"1000000","expires_date":"2000000","expires_date_formatted":"1970-01-01 00:33:20 Etc/GMT"},
            "latest_receipt_info":{"bid":"com.example.app","product_id":"monthly","transaction_id":"2","original_transaction_id":"1",
            "quantity":"1","purchase_date_ms":"2000000","expires_date":"3000000"}}
            """#
        try await self.read(old) {
            #expect($0.facts.map(\.transactionID) == ["1", "2"])
            #expect($0.facts.map(\.kind) == [.subscription, .subscription])
            #expect(
                $0.facts.map(\.expiresAt) == [Date(timeIntervalSince1970: 2_000), Date(timeIntervalSince1970: 3_000)]
            )
        }
    }

    @Test
    func `a text-only expiry or cancellation date is used`() async throws {
        let dated = #"""
            {"quantity":"1","product_id":"monthly","transaction_id":"1","original_transaction_id":"1",
            "purchase_date_ms":"1695000000000","expires_date":"2026-11-22 10:00:00 Etc/GMT"},
            {"quantity":"1","product_id":"starter","transaction_id":"2","original_transaction_id":"2",
            "purchase_date_ms":"1695000001000","cancellation_date":"2026-11-22 10:00:00 Etc/GMT"},
            {"quantity":"1","product_id":"monthly","transaction_id":"3","original_transaction_id":"1",
            "purchase_date_ms":"1695000002000","expires_date":"next week"},
            {"quantity":"1","product_id":"starter","transaction_id":"4","original_transaction_id":"4",
            "purchase_date_ms":"1695000003000","cancellation_date":"2026-13-45 10:00:00 Etc/GMT"}
            """#
        try await self.read(self.answer(purchases: dated)) {
            let end = Date(timeIntervalSince1970: 1_795_341_600)
            #expect($0.facts.map(\.transactionID) == ["1", "2"])
            #expect($0.facts.map(\.kind) == [.subscription, .oneTime])
            #expect($0.facts.map(\.expiresAt) == [end, nil])
            #expect($0.facts.map(\.refundedMillionths) == [nil, 1_000_000])
            #expect($0.facts.last?.refundedAt == end)
            #expect($0.skipped.map(\.transactionID) == ["3", "4"])
        }
    }

    @Test
    func `a transaction in both lists is one fact, and the later list wins`() async throws {
        let latest = #"""
            [{"quantity":"3","product_id":"starter","transaction_id":"100","original_transaction_id":"100",
            "purchase_date_ms":"1700000000000","in_app_ownership_type":"FAMILY_SHARED",
            "app_account_token":"0F9E8D7C-0000-4000-8000-00000000000A"}]
            """#
        try await self.read(self.answer(purchases: self.pack, latest: latest)) {
            let fact = try #require($0.facts.first)
            #expect($0.facts.count == 1)
            #expect(fact.quantity == 3)
            #expect(fact.ownership == .familyShared)
            #expect(fact.appAccountToken == UUID(uuidString: "0f9e8d7c-0000-4000-8000-00000000000a"))
        }
    }

    @Test
    func `a cancellation in either list is used`() async throws {
        let cancelled = self.period(
            "1",
            from: 1_000,
            members: #","cancellation_date_ms":"1050000","cancellation_reason":"1""#
        )
        let plain = self.period("1", from: 1_000)
        for (purchases, latest) in [(cancelled, plain), (plain, cancelled)] {
            try await self.read(self.answer(purchases: purchases, latest: "[\(latest)]")) {
                let fact = try #require($0.facts.first)
                #expect(fact.refundedMillionths == 1_000_000)
                #expect(fact.refundedAt == Date(timeIntervalSince1970: 1_050))
                #expect(!fact.upgraded)
            }
        }
    }

    @Test
    func `an upgrade is not a refund`() async throws {
        let upgraded = self.period(
            "1",
            from: 1_000,
            members: #","cancellation_date_ms":"1050000","is_upgraded":"true""#
        )
        try await self.read(self.answer(purchases: upgraded)) {
            let fact = try #require($0.facts.first)
            #expect(fact.upgraded)
            #expect(fact.refundedMillionths == nil)
            #expect(fact.refundedAt == nil)
        }
    }

    @Test(arguments: [
        (#","is_trial_period":"true""#, StoreFact.PeriodType.trial),
        (#","is_in_intro_offer_period":"true""#, .intro),
        (#","promotional_offer_id":"summer""#, .promotional),
        (#","is_trial_period":"false","is_in_intro_offer_period":"false""#, .normal),
    ])
    func `the type of period is distinguished`(members: String, expected: StoreFact.PeriodType) async throws {
        try await self.read(self.answer(purchases: self.period("1", from: 1_000, members: members))) {
            #expect($0.facts.first?.periodType == expected)
            #expect($0.facts.first?.lineItemID == "w1")
        }
    }

    @Test
    func `renewal flags apply to the newest period only`() async throws {
        let periods = [("2", 1_100), ("3", 1_200), ("1", 1_000)].map { self.period($0.0, from: $0.1) }.joined(
            separator: ","
        )
        let renewals = #"""
            [{"original_transaction_id":"7","product_id":"monthly","auto_renew_status":"1","is_in_billing_retry_period":"1",
            "grace_period_expires_date_ms":"1400000"},{"original_transaction_id":"8","auto_renew_status":"0"},"odd"]
            """#
        try await self.read(self.answer(purchases: periods, renewals: renewals)) {
            #expect($0.facts.map(\.transactionID) == ["1", "2", "3"])
            #expect($0.facts.map(\.willRenew) == [nil, nil, true])
            #expect($0.facts.map(\.billingIssue) == [nil, nil, true])
            #expect($0.facts.map(\.graceEndsAt) == [nil, nil, Date(timeIntervalSince1970: 1_400)])
        }
    }

    @Test
    func `a subscription with renewal off has no billing issue`() async throws {
        let renewals =
            #"[{"original_transaction_id":"7","product_id":"monthly","auto_renew_status":0,"expiration_intent":"1"}]"#
        try await self.read(self.answer(purchases: self.period("1", from: 1_000), renewals: renewals)) {
            #expect($0.facts.first?.willRenew == false)
            #expect($0.facts.first?.billingIssue == false)
            #expect($0.facts.first?.graceEndsAt == nil)
        }
    }

    @Test(arguments: [
        #""odd""#, "7", "null", "[]", "{}", #"{"transaction_id":"5"}"#,
        #"{"transaction_id":"5","product_id":"p"}"#,
        #"{"transaction_id":"5","product_id":"p","purchase_date_ms":"soon"}"#,
        #"{"transaction_id":"5","product_id":"p","purchase_date_ms":"-5"}"#,
        #"{"transaction_id":"5","product_id":"p","purchase_date_ms":"99999999999999999999"}"#,
        #"{"transaction_id":"5","product_id":"p","purchase_date_ms":"999999999999999"}"#,
        #"{"transaction_id":"5","product_id":{},"purchase_date_ms":"1000"}"#,
        #"{"transaction_id":"5","product_id":"p\u0000q","purchase_date_ms":"1000"}"#,
        #"{"transaction_id":"5","product_id":"p","purchase_date_ms":"1000","quantity":"many"}"#,
        #"{"transaction_id":"5","product_id":"p","purchase_date_ms":"1000","quantity":"1.5"}"#,
        #"{"transaction_id":"5","product_id":"p","purchase_date_ms":"1000","cancellation_date_ms":"once"}"#,
        #"{"transaction_id":"5","product_id":"p","purchase_date_ms":"1000","in_app_ownership_type":"FOUND"}"#,
        #"{"transaction_id":"5","product_id":"p","purchase_date_ms":"1000","app_account_token":{}}"#,
        #"{"transaction_id":"5","product_id":"p","purchase_date_ms":"1000","is_upgraded":"maybe"}"#,
    ])
    func `an unreadable transaction is reported and the others are kept`(malformed: String) async throws {
        try await self.read(self.answer(purchases: "\(malformed),\(self.pack)")) {
            #expect($0.facts.map(\.transactionID) == ["100"])
            #expect($0.skipped == [.init(transactionID: malformed.contains("\"5\"") ? "5" : nil, reason: .malformed)])
        }
    }

    @Test(arguments: ["", "00000000-0000-0000-0000-000000000000", "ann"])
    func `an invalid account token is ignored`(token: String) async throws {
        let purchase =
            #"{"transaction_id":"5","product_id":"p","purchase_date_ms":"1000","app_account_token":"\#(token)"}"#
        try await self.read(self.answer(purchases: purchase)) {
            #expect($0.facts.map(\.transactionID) == ["5"])
            #expect($0.facts.first?.appAccountToken == nil)
        }
    }

    @Test
    func `an invalid record in the later list is not replaced by the earlier one`() async throws {
        let broken = #"[{"transaction_id":"100","cancellation_date_ms":"unreadable"}]"#
        try await self.read(self.answer(purchases: self.pack, latest: broken)) {
            #expect($0.facts.isEmpty)
            #expect($0.skipped == [.init(transactionID: "100", reason: .malformed)])
        }
    }

    @Test(arguments: [("1", true), ("10", true), ("0", false), ("11", false), ("-1", false), ("2147483648", false)])
    func `a quantity is from one to ten`(quantity: String, isGood: Bool) async throws {
        let purchase = self.pack.replacingOccurrences(of: #""quantity":"1""#, with: #""quantity":"\#(quantity)""#)
        try await self.read(self.answer(purchases: purchase)) {
            #expect($0.facts.map(\.quantity) == (isGood ? [Int(quantity) ?? 0] : []))
            #expect($0.skipped == (isGood ? [] : [.init(transactionID: "100", reason: .quantityOutOfRange)]))
        }
    }

    @Test
    func `another app's receipt is refused in both formats`() async throws {
        try await self.expect(
            .wrongApp,
            for: self.answer(purchases: self.pack, receipt: #""bundle_id":"com.example.other","#)
        )
        try await self.expect(
            .wrongApp,
            for:
                #"{"status":0,"receipt":{"bid":"com.example.other","transaction_id":"1","product_id":"p","purchase_date_ms":"1"}}"#
        )
    }

    @Test(arguments: [
        (#""environment":"Sandbox","#, #""receipt_type":"Production","#),
        (#""environment":"Production","#, #""receipt_type":"ProductionSandbox","#),
        (#""environment":"Xcode","#, ""),
        ("", #""receipt_type":"LocalTesting","#),
        (#""environment":7,"#, ""),
    ])
    func `a receipt with a contradictory environment grants nothing`(environment: String, type: String) async throws {
        try await self.expect(
            .unavailable,
            for: self.answer(
                purchases: self.pack,
                environment: environment,
                receipt: type + #""bundle_id":"com.example.app","#
            )
        )
    }

    @Test
    func `volume purchases are production purchases`() async throws {
        try await self.read(
            self.answer(
                purchases: self.pack,
                receipt: #""receipt_type":"ProductionVPP","bundle_id":"com.example.app","#
            )
        ) {
            #expect($0.facts.map(\.environment) == [.production])
        }
    }

    @Test
    func `a receipt of many years is read completely`() async throws {
        let periods = (1...600).map { self.period("\($0)", from: $0 * 100) }.joined(separator: ",")
        try await self.read(self.answer(purchases: periods, latest: "[\(periods)]")) {
            #expect($0.facts.count == 600)
            #expect($0.facts.map(\.purchasedAt) == $0.facts.map(\.purchasedAt).sorted())
        }
    }
}
