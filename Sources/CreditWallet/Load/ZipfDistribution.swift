import Foundation

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
