import Hub
import Model
import Wire

/// The codes that let pages in, so that the token of the run is in no address and in no file of a browser (Docs/Web.md,
/// section 1).
///
/// The code of a link is good once. Each page gets a further code for its reload, which the browser may write to its files:
/// that one is good while the page is connected, and shortly afterwards.
struct PageCodes {
    /// The path of the only request that a code authorizes.
    static let path = "/api/v1/session"
    /// How long a page may take to come back.
    static let patience = Duration.seconds(20)
    static let mostPages = 256

    private struct Page {
        var connections = 0
        var leftAt: Instant
        /// The conversation that it showed when it left.
        var shown: ConversationID?
    }

    /// A page that was let in.
    struct Admission {
        /// The code of the page's next reload.
        let reload: String
        /// The conversation that it showed before a reload; nil for none.
        let shown: ConversationID?
    }

    /// The code of the next link.
    private(set) var link = WebToken()
    /// By the codes of their reloads.
    private var pages: [String: Page] = [:]

    /// Lets a page in with the code of the link, which is used up, or with that of a reload.
    ///
    /// - Parameter shown: the conversation that a connection of the page shows; nil for none.
    /// - Returns: nil for a code that is not good, or not any more.
    mutating func admit(_ code: String, showing shown: ConversationID?, at now: Instant) -> Admission? {
        pages = pages.filter { PageCodes.isGood($1, at: now) }
        let shown = shown ?? pages[code]?.shown
        if link.isEqual(to: code) {
            link = WebToken()
        } else if pages[code] == nil {
            return nil
        }
        if pages.count >= PageCodes.mostPages { forgetOne() }
        let reload = WebToken().text
        pages[reload] = Page(leftAt: now, shown: shown)
        return Admission(reload: reload, shown: shown)
    }

    /// The page of a code has connected, with the token: the code is good again if it was long away.
    mutating func connected(_ code: String, at now: Instant) {
        let isNew = pages.count < PageCodes.mostPages && code.utf8.count == link.text.utf8.count
        guard pages[code] != nil || isNew else { return }
        pages[code, default: Page(leftAt: now)].connections += 1
    }

    /// A connection of the page of a code has ended, which showed a conversation.
    mutating func disconnected(_ code: String, showing shown: ConversationID?, at now: Instant) {
        guard let page = pages[code] else { return }
        pages[code] = Page(connections: max(0, page.connections - 1), leftAt: now, shown: shown ?? page.shown)
    }

    /// After a wipe nothing is known of what pages showed.
    mutating func forgetShown() { for code in pages.keys { pages[code]?.shown = nil } }

    private static func isGood(_ page: Page, at now: Instant) -> Bool {
        page.connections > 0 || now - page.leftAt <= patience
    }

    /// Forgets the page that left first, or any if all are here.
    private mutating func forgetOne() {
        let oldest = pages.min { ($0.value.connections, $0.value.leftAt) < ($1.value.connections, $1.value.leftAt) }
        if let oldest { pages[oldest.key] = nil }
    }
}
