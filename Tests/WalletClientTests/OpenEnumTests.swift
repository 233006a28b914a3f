import Foundation
import Testing
import WalletClient

/// Tests of enumerations that later versions of the wallet may extend.
@Suite
struct OpenEnumTests {
    @Test
    func `a value of a later version is kept unchanged`() throws {
        let status = try JSONDecoder().decode([BookingStatus].self, from: Data(#"["booked","checked_in"]"#.utf8))
        #expect(status == [.booked, "checked_in"])
        #expect(status.map(\.description) == ["booked", "checked_in"])
        #expect(try String(decoding: JSONEncoder().encode(status), as: UTF8.self) == #"["booked","checked_in"]"#)
        switch status[1] {
        case .booked, .cancelled: Issue.record("taken for a known value")
        default: break
        }
    }

    @Test
    func `a response with unknown values is decoded`() throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let later = bookingAnswer.replacing("\"booked\"", with: "\"attended\"").replacing(
            "\"credit\"",
            with: "\"minute\""
        )
        let result = try decoder.decode(BookingResult.self, from: Data(later.utf8))
        #expect(result.booking.status.rawValue == "attended")
        #expect(result.booking.unit?.rawValue == "minute")
    }

    @Test
    func `every problem of the interface has a case, and there are no others`() throws {
        let project = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
        let source = try String(
            contentsOf: project.appending(path: "Sources/WalletClient/Errors/ProblemSlug.swift"),
            encoding: .utf8
        )
        let document = try String(contentsOf: project.appending(path: "openapi.yaml"), encoding: .utf8)
        let named = Set(source.matches(of: #/Self\(rawValue: "([a-z-]+)"\)/#).map { String($0.1) })
        let known = Set(document.matches(of: #/credit-wallet\.example/problems/([a-z-]+)/#).map { String($0.1) })
        #expect(named.count > 60)
        #expect(named == known)
    }

    @Test
    func `a lot's id is a payment method in lower case`() throws {
        let id = try #require(UUID(uuidString: "0193FE00-0000-7000-8000-00000000000A"))
        #expect(PaymentMethod.lot(id) == "0193fe00-0000-7000-8000-00000000000a")
    }
}
