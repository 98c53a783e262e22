/// Honorifics and particles that languages write behind a name without a space.
enum NameEndings {
    /// Whether a text begins with endings of names of a script, and then ends or goes on with something else than a letter of
    /// the same script: `님한테` behind `민수`, but not `진`.
    static func end(_ text: Substring, of script: Script) -> Bool {
        switch script {
        case .hangul: return consume(run(text, of: script), honorifics: hangulHonorifics, particles: hangulParticles)
        case .hiragana: return consume(run(text, of: script), honorifics: kanaHonorifics, particles: kanaParticles)
        case .han: return hanHonorifics.contains { $0 == run(text, of: script) }
        case .none, .latin, .greek, .cyrillic, .hebrew, .arabic, .thai, .katakana, .jamo: return false
        }
    }

    /// The letters of the script at the beginning of a text; empty if a digit follows them.
    private static func run(_ text: Substring, of script: Script) -> Substring {
        let letters = text.prefix { Script($0) == script }
        return text[letters.endIndex...].first?.isNumber ?? false ? "" : letters
    }

    /// An honorific at most, and up to two particles.
    private static func consume(_ text: Substring, honorifics: [String], particles: [String]) -> Bool {
        guard !text.isEmpty else { return false }
        let ends = [text] + honorifics.compactMap { text.hasPrefix($0) ? text.dropFirst($0.count) : nil }
        return ends.contains { hasParticles($0, particles, atMost: 2) }
    }

    private static func hasParticles(_ text: Substring, _ particles: [String], atMost count: Int) -> Bool {
        if text.isEmpty { return true }
        guard count > 0 else { return false }
        return particles.contains {
            text.hasPrefix($0) && hasParticles(text.dropFirst($0.count), particles, atMost: count - 1)
        }
    }

    private static let hangulHonorifics = [
        "님", "씨", "군", "양", "형", "형님", "누나", "누님", "언니", "오빠", "선배", "선배님", "선생", "선생님", "이", "네",
    ]
    private static let hangulParticles = [
        "야", "아", "여", "이여", "은", "는", "이", "가", "을", "를", "의", "에", "에게", "에게서", "한테", "한테서", "께", "께서", "와", "과",
        "랑", "이랑", "하고", "도", "만", "로", "으로", "부터", "까지", "처럼", "같이", "보다", "마다", "밖에", "조차", "마저", "뿐", "나", "이나",
        "요", "이요", "이다", "입니다", "예요", "이에요", "인가", "인데", "이면", "면", "라고", "이라고", "들", "이라면", "라면", "더러", "보고",
    ]
    private static let kanaHonorifics = ["さん", "ちゃん", "くん", "さま", "せんぱい", "せんせい"]
    private static let kanaParticles = [
        "は", "が", "を", "に", "の", "と", "も", "へ", "で", "や", "から", "まで", "より", "だけ", "って", "ね", "よ", "か",
    ]
    private static let hanHonorifics = ["様", "氏", "殿", "君", "先生", "先輩", "先辈", "同学", "小姐", "老师", "老師"]
}
