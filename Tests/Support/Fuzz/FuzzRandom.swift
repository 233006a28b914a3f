/// A random number generator with a single seed as its state, so that an input can be reproduced.
public struct FuzzRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator from a seed and the number of a case.
    public init(seed: UInt64, number: UInt64 = 0) {
        self.state = seed &+ number &* 0xD134_2543_DE82_EF95
        self.state = self.next()
    }

    /// Returns the next number.
    public mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 up to, but not including, the bound; 0 for a bound of 0.
    public mutating func below(_ bound: Int) -> Int {
        bound > 0 ? Int.random(in: 0..<bound, using: &self) : 0
    }

    /// Returns true with the given probability in percent.
    public mutating func chance(_ percent: Int) -> Bool { self.below(100) < percent }

    /// Returns one of the values, which must not be empty.
    public mutating func pick<Value>(_ values: [Value]) -> Value { values[self.below(values.count)] }

    /// Returns random bytes, at most `length` of them.
    public mutating func bytes(upTo length: Int) -> [UInt8] {
        (0..<self.below(length + 1)).map { _ in UInt8(truncatingIfNeeded: self.next()) }
    }
}
