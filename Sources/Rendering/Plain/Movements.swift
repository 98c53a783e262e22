package import Phrases

extension Language {
    /// Arrivals and departures in one text; one of the two is above 0.
    package func movements(came: Int, left: Int) -> String {
        if left == 0 { return self(.came, "\(came)") }
        return came == 0 ? self(.left, "\(left)") : self(.cameAndLeft, "\(came)", "\(left)")
    }
}
