import Testing

@testable import WalletClient

/// Tests of how a client records the position that its reads must not precede.
@Suite
struct ReadPositionTests {
    private let position = ReadPosition()

    private func take(_ answered: String?, sent: ReadPosition.Mark? = nil) {
        self.position.take(answered, sent: sent ?? self.position.mark)
    }

    @Test
    func `without standbys, every read asks for the latest position`() {
        for _ in 1...2 {
            self.take(nil)
            #expect(self.position.mark.token == "latest")
        }
    }

    @Test
    func `a response to a request for the latest position is adopted, even if it is lower`() {
        for token in ["100", "040", "latest"] {
            self.take(token)
            #expect(self.position.mark.token == token)
        }
    }

    @Test(arguments: [
        (["100", "120"], "120"), (["120", "100"], "120"), (["latest", "100"], "latest"), (["100", "latest"], "latest"),
    ])
    func `of two responses to requests with one position, the later position wins`(answers: [String], token: String) {
        self.take("050")
        let sent = self.position.mark
        for answer in answers { self.take(answer, sent: sent) }
        #expect(self.position.mark.token == token)
    }

    @Test
    func `a call without a response may have changed the books`() {
        self.take("100")
        let sent = self.position.mark
        self.take(nil)
        #expect(self.position.mark.token == "latest")
        self.take("110", sent: sent)
        #expect(self.position.mark.token == "latest")
    }

    @Test
    func `a response sent before a stream's event does not count as newer than the event`() {
        let first = self.position.mark
        self.position.forget()
        self.take("100", sent: first)
        #expect(self.position.mark.token == "latest")
        self.take("110")
        #expect(self.position.mark.token == "110")
    }
}
