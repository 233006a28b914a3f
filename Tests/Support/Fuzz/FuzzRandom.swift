/// A random number generator whose whole state is one seed, so that an input can be made again.
public struct FuzzRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Makes a generator of one seed and the number of a case.
    public init(seed: UInt64, number: UInt64 = 0) {
        self.state = seed &+ number &* 0xD134_2543_DE82_EF95
        self.state = self.next()
    }

    /// The next number.
    public mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 to below the bound, 0 for a bound of 0.
    public mutating func below(_ bound: Int) -> Int {
        bound > 0 ? Int.random(in: 0..<bound, using: &self) : 0
    }

    /// Says yes in so many cases of a hundred.
    public mutating func chance(_ percent: Int) -> Bool { self.below(100) < percent }

    /// One of the values, of which there must be one.
    public mutating func pick<Value>(_ values: [Value]) -> Value { values[self.below(values.count)] }

    /// Bytes that mean nothing.
    public mutating func bytes(upTo length: Int) -> [UInt8] {
        (0..<self.below(length + 1)).map { _ in UInt8(truncatingIfNeeded: self.next()) }
    }
}
