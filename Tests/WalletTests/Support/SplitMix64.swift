/// A small random number generator whose entire state is one seed, so that a walk can be repeated.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        // Without this step, consecutive seeds would start at neighbouring places of one sequence.
        self.state = seed
        self.state = self.next()
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension SplitMix64 {
    /// Returns true with the given probability in percent.
    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &self) < percent
    }

    /// Returns one of the values at random; a value listed twice is twice as likely.
    mutating func pick<Value>(_ values: Value...) -> Value {
        values[Int.random(in: 0..<values.count, using: &self)]
    }
}
