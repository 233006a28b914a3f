import Foundation
import Postgres
import TestSupport
import Testing

@testable import Stores

/// Applies sample payloads with one changed member to a database.
///
/// None may grant more than its unchanged sample, grant visits without an expiry, or fail with an error that the wallet
/// does not define.
@Suite(.database, .serialized) struct VariedPayloadTests {
    /// A payload and the reader that parses it.
    private struct Sample: Sendable {
        let name: String
        let json: String
        let source: StoreEvent.Source
        /// The period is over, so nothing of it may be spendable.
        var isOver = false
        /// The store reports the end by a state, so a later end date has no effect.
        var isEndedByState = false
        let read: @Sendable (Data) throws(StoreError) -> [StoreEvent.AttributedFact]
    }

    /// The result of one message.
    private struct Given: Decodable, Sendable {
        let status: String
        let reason: String?
        /// The number of plan lots that never expire.
        let endless: Int
        let granted: Int
        let spendable: Int
    }

    private static let script = """
        INSERT INTO wallet.stores (store, grants_from)
        VALUES ('app_store', '2020-01-01T00:00Z'), ('play_store', '2020-01-01T00:00Z') ON CONFLICT DO NOTHING;
        SELECT wallet.account_for('ann');
        CREATE FUNCTION pg_temp.given(p_source text, p_event jsonb) RETURNS text LANGUAGE plpgsql AS $$
        DECLARE
            v_outcome wallet.event_outcome;
        BEGIN
            v_outcome := wallet.receive_event(p_source, 'e', 'T', p_event);
            RAISE EXCEPTION USING ERRCODE = 'ZZ000', MESSAGE = (
                SELECT jsonb_build_object(
                    'status', v_outcome.status, 'reason', v_outcome.reason,
                    'endless', count(*) FILTER (WHERE l.source = 'plan' AND l.expires_at = 'infinity'),
                    'granted', coalesce(sum(l.granted - l.refunded), 0),
                    'spendable', coalesce(sum(l.remaining) FILTER (WHERE l.expires_at > wallet.now()), 0)
                )::text FROM wallet.lots AS l
            );
        EXCEPTION WHEN SQLSTATE 'ZZ000' THEN
            RETURN SQLERRM;
        END;
        $$;
        """

    /// Members whose absence has a meaning, so that a payload without one is a different valid payload.
    private static let tellingAbsences: Set<String> = [
        "is_family_share", "refundableQuantity", "freeTrial", "offerPhase", "is_trial_period", "cancellation_date",
        "cancellation_date_ms", "offerType", "offerDiscountType", "revocationDate", "in_app_ownership_type",
    ]
    private static let ends: Set<String> = [
        "expiration_at_ms", "expiryTime", "expires_date", "expires_date_ms", "expiresDate",
    ]

    private static func apply(
        _ statements: [StoreEvent.AttributedFact],
        from source: StoreEvent.Source,
        on connection: Connection
    ) async throws -> Given {
        let event = StoreEvent(source: source, id: "e", type: "T", statements: statements)
        let json = String(decoding: try JSONEncoder().encode(event), as: UTF8.self)
        let told = try await connection.query(
            "SELECT pg_temp.given(\(source.rawValue), \(json)::jsonb) AS given"
        ).map { try $0.decode("given", as: String.self) }
        return try JSONDecoder().decode(Given.self, from: Data(try #require(told.first).utf8))
    }

    @Test func `no changed member grants more than its sample`() async throws {
        let connection = try await TestDatabase.current.connect()
        defer { connection.close() }
        try await connection.execute(script: Self.script)
        var complaints: [String] = []
        var (applied, refused) = (0, 0)
        for sample in Self.samples(at: Date()) {
            let json = Data(sample.json.utf8)
            let whole = try await Self.apply(try sample.read(json), from: sample.source, on: connection)
            if whole.endless > 0 { complaints.append("\(sample.name): an endless lot") }
            if sample.isOver && whole.spendable > 0 { complaints.append("\(sample.name): spendable though over") }
            for variation in try JSONVariation.all(of: json) {
                guard let statements = try? sample.read(variation.json) else {
                    refused += 1
                    continue
                }
                applied += 1
                let given = try await Self.apply(statements, from: sample.source, on: connection)
                for complaint in Self.complaints(about: given, of: variation, in: sample, beside: whole) {
                    complaints.append("\(sample.name): \(variation): \(complaint)")
                }
            }
        }
        print("varied payloads in a database: \(applied) applied, \(refused) refused before")
        #expect(applied > 500)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    private static func complaints(
        about given: Given,
        of variation: JSONVariation,
        in sample: Sample,
        beside whole: Given
    ) -> [String] {
        var complaints: [String] = []
        if given.endless > 0 { complaints.append("an endless lot") }
        if given.status == "failed", !(given.reason ?? "").hasPrefix("WL") {
            complaints.append("failed for \(given.reason ?? "no reason")")
        }
        let isAttestedByStore =
            variation.change.isAbsence && Self.tellingAbsences.contains(variation.name)
            // A period type that the reader does not recognize is not a trial.
            || variation.change == .text && ["period_type", "offerDiscountType"].contains(variation.name)
        if given.granted > whole.granted && !isAttestedByStore {
            complaints.append("\(given.granted) instead of \(whole.granted)")
        }
        let isEnd = Self.ends.contains(variation.name) && !sample.isEndedByState
        if given.spendable > whole.spendable && !isAttestedByStore && !isEnd {
            complaints.append("\(given.spendable) to spend instead of \(whole.spendable)")
        }
        return complaints
    }

    private static let explorer = "com.hobbyist.bookingapp.subscription.explorer"
    private static let pack = "com.hobbyist.bookingapp.credits.starter"
    private static let pass = "threeVisit"

    private static func samples(at now: Date) -> [Sample] {
        Self.revenueCat(at: now) + Self.googlePlay(at: now) + Self.appStore(at: now)
    }

    private static func milliseconds(_ date: Date, after days: Double) -> Int64 {
        Int64((date.timeIntervalSince1970 + days * 86_400) * 1_000)
    }

    private static func revenueCat(at now: Date) -> [Sample] {
        let webhook = RevenueCatWebhook(configuration: RevenueCatWebhookConfiguration(), now: { now })
        func sample(_ type: String, _ product: String, _ more: String, from start: Double, to end: Double?) -> Sample {
            let last = end.map { "\(Self.milliseconds(now, after: $0))" } ?? "null"
            let json = #"""
                {"api_version":"1.0","event":{"id":"e","type":"\#(type)","event_timestamp_ms":\#(Self.milliseconds(now, after: 0)),
                "app_user_id":"ann","original_app_user_id":"ann","aliases":["ann"],"product_id":"\#(product)",
                "purchased_at_ms":\#(Self.milliseconds(now, after: start)),"expiration_at_ms":\#(last),"store":"APP_STORE",
                "environment":"PRODUCTION","transaction_id":"2000","original_transaction_id":"1000",\#(more)}}
                """#
            let isOver = end.map { $0 < 0 } ?? false
            return Sample(name: "RevenueCat \(type)", json: json, source: .revenueCat, isOver: isOver) {
                data throws(StoreError) in try webhook.event(from: data).statements
            }
        }
        let normal = #""period_type":"NORMAL","is_family_share":false"#
        return [
            sample("INITIAL_PURCHASE", Self.explorer, normal, from: -1, to: 29),
            sample("INITIAL_PURCHASE", Self.explorer, #""period_type":"TRIAL""#, from: -1, to: 6),
            sample("RENEWAL", Self.explorer, #""period_type":"NORMAL","is_family_share":true"#, from: -1, to: 29),
            sample("REFUND_REVERSED", Self.explorer, normal, from: -40, to: -10),
            sample("EXPIRATION", Self.explorer, normal, from: -40, to: -10),
            sample("NON_RENEWING_PURCHASE", Self.pack, normal, from: -1, to: nil),
            sample("NON_RENEWING_PURCHASE", Self.pass, normal, from: -1, to: nil),
            sample(
                "CANCELLATION",
                Self.pack,
                #""cancel_reason":"CUSTOMER_SUPPORT","period_type":"NORMAL""#,
                from: -1,
                to: nil
            ),
        ]
    }

    private static func googlePlay(at now: Date) -> [Sample] {
        func day(_ days: Double) -> String { now.addingTimeInterval(days * 86_400).formatted(.iso8601) }
        let owners = ["ann"]
        let subscriptions = [
            ("ACTIVE", 20.0), ("CANCELED", 20), ("ON_HOLD", -3), ("EXPIRED", -3), ("IN_GRACE_PERIOD", 3),
        ]
        .map { state, end in
            let json = #"""
                {"subscriptionState":"SUBSCRIPTION_STATE_\#(state)","startTime":"\#(day(-40))",
                "acknowledgementState":"ACKNOWLEDGEMENT_STATE_PENDING","lineItems":[{"productId":"\#(Self.explorer)",
                "expiryTime":"\#(day(end))","latestSuccessfulOrderId":"GPA.1..0","autoRenewingPlan":{"autoRenewEnabled":true}}]}
                """#
            let isOver = end < 10
            return Sample(
                name: "Play \(state)",
                json: json,
                source: .googlePlay,
                isOver: isOver,
                isEndedByState: isOver
            ) {
                data throws(StoreError) in
                try GooglePlaySubscription(
                    answer: try StoreDocument(parsing: data),
                    token: "tok",
                    renewedAt: nil,
                    answeredAt: now
                ).facts().map { .init(fact: $0, owners: owners) }
            }
        }
        let product = #"""
            {"purchaseTimeMillis":"\#(Self.milliseconds(now, after: -1))","purchaseState":0,"consumptionState":0,
            "orderId":"GPA.7","acknowledgementState":0,"quantity":3,"refundableQuantity":2,"productId":"\#(Self.pack)"}
            """#
        return subscriptions + [
            Sample(name: "Play product", json: product, source: .googlePlay) { data throws(StoreError) in
                let answer = try StoreDocument(parsing: data)
                let fact = try GooglePlayProduct(answer: answer, token: "t", answeredAt: now).fact(of: Self.pack)
                return [.init(fact: fact, owners: owners)]
            }
        ]
    }

    private static func appStore(at now: Date) -> [Sample] {
        func transaction(_ name: String, _ more: String, end: Double?) -> Sample {
            let last = end.map { #""expiresDate":\#(Self.milliseconds(now, after: $0)),"# } ?? ""
            let json = #"""
                {"transactionId":"2000","originalTransactionId":"1000","bundleId":"com.example.app","quantity":1,\#(last)\#(more),
                "purchaseDate":\#(Self.milliseconds(now, after: -20)),"signedDate":\#(Self.milliseconds(now, after: 0)),
                "inAppOwnershipType":"PURCHASED","environment":"Production"}
                """#
            return Sample(name: name, json: json, source: .appStore, isOver: (end ?? 1) < 0) {
                data throws(StoreError) in
                guard
                    let payload = try PayloadReading<JWSTransactionDecodedPayload>(data).payload,
                    let side = payload.environment?.side
                else { throw StoreError(.unreadable) }
                let fact = try SignedTransaction(payload: payload, environment: side).fact(source: .notification)
                return [.init(fact: fact, owners: ["ann"])]
            }
        }
        let period = #""productId":"\#(Self.explorer)","type":"Auto-Renewable Subscription","webOrderLineItemId":"7""#
        let trial = #","offerType":1,"offerDiscountType":"FREE_TRIAL""#
        let pack = #""productId":"\#(Self.pack)","type":"Consumable","appTransactionId":"9""#
        return [
            transaction("a pack", pack, end: nil), transaction("a period", period, end: 10),
            transaction("a period that is over", period, end: -1), transaction("a trial", period + trial, end: 10),
            Self.receipt(at: now),
        ]
    }

    private static func receipt(at now: Date) -> Sample {
        let end = now.addingTimeInterval(-86_400).formatted(.iso8601).dropLast().replacing("T", with: " ")
        let json = #"""
            {"status":0,"environment":"Production","receipt":{"receipt_type":"Production","bundle_id":"com.example.app",
            "request_date_ms":"\#(Self.milliseconds(now, after: 0))","in_app":[{"quantity":"1","product_id":"\#(Self.explorer)",
            "transaction_id":"2000","original_transaction_id":"1000","is_trial_period":"false",
            "purchase_date_ms":"\#(Self.milliseconds(now, after: -20))","expires_date":"\#(end) Etc/GMT"}]}}
            """#
        return Sample(name: "a receipt in words", json: json, source: .appStore, isOver: true) {
            data throws(StoreError) in
            guard
                let answer = try? JSONDecoder().decode(VerifyReceiptAnswer.self, from: data),
                let reading = try? ReceiptReading(of: answer, environment: .production, receiptSHA256: "00", now: now)
            else { throw StoreError(.unreadable) }
            return reading.facts.map { .init(fact: $0, owners: ["ann"]) }
        }
    }
}
