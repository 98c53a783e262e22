import Glibc

/// How far the searches go: `EARSHOT_SEARCH=large` is for a person with minutes to spare.
enum SearchSize {
    static let isLarge = unsafe getenv("EARSHOT_SEARCH") != nil
}
