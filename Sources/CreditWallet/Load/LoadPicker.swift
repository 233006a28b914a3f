/// Picks who books what next; since a user has no second booking of a class, no pair twice.
struct LoadPicker: Sendable {
    struct Pick: Sendable {
        let user: Int
        let classIndex: Int
    }

    private let users: Int
    private let classes: Int
    private let zipf: ZipfDistribution?
    private var random: LoadRandom
    /// With which class each user begins: runs on the same users shall not begin with the same pairs.
    private let first: [Int32]
    /// How many classes each user has booked.
    private var taken: [Int32]
    /// For a user who has booked everything, a later one who may not have; led along to the one who has not.
    private var heir: [Int32]
    private var done = 0

    /// Prepares to pick.
    ///
    /// - Parameters:
    ///   - pattern: Who books what.
    ///   - users: How many users there are.
    ///   - classes: How many classes there are.
    ///   - zipfExponent: How uneven Zipf's distribution is.
    ///   - seed: The same picks for the same seed.
    init(_ pattern: LoadPattern, users: Int, classes: Int, zipfExponent: Double, seed: UInt64) {
        self.users = pattern == .oneWallet ? 1 : users
        self.classes = pattern == .oneClass ? 1 : classes
        self.zipf = pattern == .zipf ? ZipfDistribution(count: users, exponent: zipfExponent) : nil
        var random = LoadRandom(seed: seed)
        let classRange = 0..<Int32(self.classes)
        self.first = (0..<self.users).map { _ in Int32.random(in: classRange, using: &random) }
        self.taken = Array(repeating: 0, count: self.users)
        self.heir = Array(0..<Int32(self.users))
        self.random = random
    }

    /// Picks a pair.
    ///
    /// - Returns: Who books what; nil when everybody has booked everything.
    mutating func next() -> Pick? {
        guard self.done < self.users else { return nil }
        let user = self.standing(self.draw())
        let classIndex = (Int(self.first[user]) + Int(self.taken[user])) % self.classes
        self.taken[user] += 1
        if self.taken[user] == self.classes {
            self.heir[user] = Int32((user + 1) % self.users)
            self.done += 1
        }
        return Pick(user: user, classIndex: classIndex)
    }

    /// Picks who reads, by the same pattern as those who book.
    mutating func reader() -> Pick {
        Pick(user: self.draw(), classIndex: 0)
    }

    private mutating func draw() -> Int {
        if let zipf = self.zipf { return zipf.rank(at: self.random.fraction()) }
        return Int.random(in: 0..<self.users, using: &self.random)
    }

    /// The user, or the next who has something left to book.
    private mutating func standing(_ drawn: Int) -> Int {
        var user = drawn
        while Int(self.heir[user]) != user {
            // Each walk shortens the next.
            self.heir[user] = self.heir[Int(self.heir[user])]
            user = Int(self.heir[user])
        }
        return user
    }
}
