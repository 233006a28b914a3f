import Testing

@testable import WalletClient

/// How a client remembers how far it has seen the books.
@Suite
struct ReadPositionTests {
    private let position = ReadPosition()

    private func take(_ answered: String?, sent: ReadPosition.Mark? = nil) {
        self.position.take(answered, sent: sent ?? self.position.mark)
    }

    @Test
    func `a server without standbys is always asked for the newest`() {
        for _ in 1...2 {
            self.take(nil)
            #expect(self.position.mark.token == "latest")
        }
    }

    @Test
    func `an answer to the newest request counts, also where the server has lost what it wrote last`() {
        for token in ["100", "040", "latest"] {
            self.take(token)
            #expect(self.position.mark.token == token)
        }
    }

    @Test(arguments: [
        (["100", "120"], "120"), (["120", "100"], "120"), (["latest", "100"], "latest"), (["100", "latest"], "latest"),
    ])
    func `of two answers to one state the one that has seen more counts`(answers: [String], token: String) {
        self.take("050")
        let sent = self.position.mark
        for answer in answers { self.take(answer, sent: sent) }
        #expect(self.position.mark.token == token)
    }

    @Test
    func `a call without an answer may have changed the books`() {
        self.take("100")
        let sent = self.position.mark
        self.take(nil)
        #expect(self.position.mark.token == "latest")
        self.take("110", sent: sent)
        #expect(self.position.mark.token == "latest")
    }

    @Test
    func `an answer that was on its way while a stream showed something does not count for what it showed`() {
        let first = self.position.mark
        self.position.forget()
        self.take("100", sent: first)
        #expect(self.position.mark.token == "latest")
        self.take("110")
        #expect(self.position.mark.token == "110")
    }
}
