/// A request of the measuring program to a node, a line each.
enum DriverCommand: Hashable {
    /// Send so many texts, so far apart; without a gap as fast as they are taken.
    case publish(count: Int, gap: Duration)
    /// Send no more.
    case stop
    /// Forget all counts.
    case reset(epoch: Int)
    /// Tell when so many texts have come.
    case expect(Int)
    case statistics
    /// Say which public messages are kept.
    case ring
    /// Append the latencies to a file.
    case latencies(file: String)
    case quit

    /// Nil for a line that means nothing.
    init?(_ line: String) {
        let words = line.split(separator: " ")
        let numbers = words.dropFirst().compactMap { Int($0) }.filter { $0 >= 0 }
        switch (words.first, numbers.count) {
        case ("pub", 2): self = .publish(count: numbers[0], gap: .microseconds(numbers[1]))
        case ("stop", 0): self = .stop
        case ("reset", 1): self = .reset(epoch: numbers[0])
        case ("expect", 1): self = .expect(numbers[0])
        case ("stat", 0): self = .statistics
        case ("ring", 0): self = .ring
        case ("lat", 0) where words.count == 2: self = .latencies(file: String(words[1]))
        case ("quit", 0): self = .quit
        case (_, _): return nil
        }
    }
}
