import Foundation

/// Selects the user and class of each booking.
///
/// No pair occurs twice, because a user can book a class only once.
struct LoadPicker: Sendable {
    struct Pick: Sendable {
        let user: Int
        let classIndex: Int
    }

    private let users: Int
    private let classes: Int
    private let zipf: ZipfDistribution?
    private var random: LoadRandom
    /// The first class of each user; it is random, so that runs with the same users begin with different pairs.
    private let first: [Int32]
    /// The number of classes that each user has booked.
    private var taken: [Int32]
    /// For a user who has booked every class, a later user who may have classes left; otherwise the user.
    private var heir: [Int32]
    private var done = 0

    /// Creates a picker.
    ///
    /// - Parameters:
    ///   - pattern: The distribution of bookings.
    ///   - users: The number of users.
    ///   - classes: The number of classes.
    ///   - zipfExponent: The exponent of Zipf's distribution.
    ///   - seed: The seed; the same seed gives the same selection.
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

    /// Selects the next pair.
    ///
    /// - Returns: The user and the class; nil if every user has booked every class.
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

    /// Selects the user of a read, with the same distribution as for bookings.
    mutating func reader() -> Pick {
        Pick(user: self.draw(), classIndex: 0)
    }

    private mutating func draw() -> Int {
        if let zipf = self.zipf { return zipf.rank(at: self.random.fraction()) }
        return Int.random(in: 0..<self.users, using: &self.random)
    }

    /// Returns the user, or the next one with classes left.
    private mutating func standing(_ drawn: Int) -> Int {
        var user = drawn
        while Int(self.heir[user]) != user {
            // Path compression shortens later searches.
            self.heir[user] = self.heir[Int(self.heir[user])]
            user = Int(self.heir[user])
        }
        return user
    }
}

/// A distribution of ranks in which the n-th rank has a probability in proportion to 1 / n^exponent.
struct ZipfDistribution: Sendable {
    /// The cumulative probability of each rank.
    private let cumulative: [Double]

    init(count: Int, exponent: Double) {
        var sum = 0.0
        let sums = (1...max(count, 1)).map { rank in
            sum += 1 / pow(Double(rank), exponent)
            return sum
        }
        self.cumulative = sums.map { $0 / sum }
    }

    /// Returns the rank for a random number.
    ///
    /// - Parameter fraction: A number from 0 to less than 1.
    /// - Returns: The rank, from 0.
    func rank(at fraction: Double) -> Int {
        var low = 0
        var high = self.cumulative.count - 1
        while low < high {
            let middle = (low + high) / 2
            if self.cumulative[middle] <= fraction { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// A random number generator with a seed (SplitMix64); the same seed gives the same numbers.
struct LoadRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        self.state = seed
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var value = self.state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Returns a number from 0 to less than 1.
    mutating func fraction() -> Double {
        Double(self.next() >> 11) * 0x1p-53
    }
}
