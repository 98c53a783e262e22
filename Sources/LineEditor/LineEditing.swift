/// Inserting, moving and killing, by characters and words.
extension EditorState {
    /// The text as it may stand in a line: tabs and line ends are a space, other control characters nothing.
    static func typeable(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\t", "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": result.append(" ")
            case _ where scalar.properties.generalCategory == .control: continue
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Inserts at the cursor, as much as there is room for.
    mutating func insert(_ text: String) -> EditorOutcome {
        let room = EditorState.mostBytes - left.utf8.count - right.utf8.count
        guard text.utf8.count > room else {
            left += text
            settle()
            return text.isEmpty ? .refused : .changed
        }
        var size = 0
        for character in text {
            size += character.utf8.count
            guard size <= room else { break }
            left.append(character)
        }
        settle()
        return .refused
    }

    /// Keeps the cursor between two characters: where a change has made one of the two at it, it goes behind that.
    mutating func settle() {
        guard let before = left.unicodeScalars.last, let after = right.unicodeScalars.first,
            !(before.isASCII && after.isASCII)
        else { return }
        let all = left + right
        var boundary = all.startIndex
        let cursor = all.utf8.index(all.startIndex, offsetBy: left.utf8.count)
        while boundary < cursor { boundary = all.index(after: boundary) }
        guard boundary > cursor else { return }
        left = String(all[..<boundary])
        right = String(all[boundary...])
    }

    mutating func remove(_ character: Character?) -> EditorOutcome {
        guard character != nil else { return .refused }
        settle()
        return .changed
    }

    /// Takes away the character behind the cursor.
    mutating func removeNext() -> EditorOutcome {
        remove(right.isEmpty ? nil : right.removeFirst())
    }

    /// Moves the cursor to the left, over a part at the end of the text before it.
    mutating func move(back part: Substring) -> EditorOutcome {
        let before = left.utf8.count
        shift(toRight: part)
        settle()
        return left.utf8.count == before ? .refused : .changed
    }

    /// Moves the cursor to the right, over a part at the beginning of the text behind it.
    mutating func move(forward part: Substring) -> EditorOutcome {
        let before = left.utf8.count
        shift(toLeft: part)
        settle()
        return left.utf8.count == before ? .refused : .changed
    }

    /// Removes a part at the end of the text before the cursor.
    mutating func kill(back part: Substring, continues: Bool) -> EditorOutcome {
        left = String(left.dropLast(part.count))
        return keep(killed: String(part), before: true, continues: continues)
    }

    /// Removes a part at the beginning of the text behind the cursor.
    mutating func kill(forward part: Substring, continues: Bool) -> EditorOutcome {
        right = String(right.dropFirst(part.count))
        return keep(killed: String(part), before: false, continues: continues)
    }

    private mutating func keep(killed: String, before isBefore: Bool, continues: Bool) -> EditorOutcome {
        guard !killed.isEmpty else { return .refused }
        kills.add(killed, before: isBefore, continues: continues)
        last = .kill
        settle()
        return .changed
    }

    mutating func yank() -> EditorOutcome {
        kills.lookAtNewest()
        return insertKilled()
    }

    /// Takes back what the yank before this inserted, and inserts what was killed before that.
    mutating func yankPop(_ before: LastKey) -> EditorOutcome {
        guard case .yank(let count) = before, left.unicodeScalars.count >= count else { return .refused }
        left.unicodeScalars.removeLast(count)
        kills.lookFurtherBack()
        return insertKilled()
    }

    private mutating func insertKilled() -> EditorOutcome {
        guard let text = kills.current else { return .refused }
        let before = left.unicodeScalars.count
        let outcome = insert(text)
        // In scalars: characters may have joined.
        last = .yank(left.unicodeScalars.count - before)
        return outcome
    }

    /// Swaps the characters on both sides of the cursor; at the end, the last two.
    mutating func transpose() -> EditorOutcome {
        guard left.count + (right.isEmpty ? 0 : 1) >= 2, !left.isEmpty else { return .refused }
        if right.isEmpty { shift(toRight: left.suffix(1)) }
        guard let before = left.popLast(), let after = right.first else { return .refused }
        right.removeFirst()
        left.append(after)
        left.append(before)
        settle()
        return .changed
    }

    private mutating func shift(toRight part: Substring) {
        let part = String(part)
        left = String(left.dropLast(part.count))
        right = part + right
    }

    private mutating func shift(toLeft part: Substring) {
        let part = String(part)
        right = String(right.dropFirst(part.count))
        left += part
    }
}

/// Where words begin and end.
extension EditorState {
    /// From the beginning of the last word to the end.
    static func wordEnd(of text: String) -> Substring {
        let gap = text.reversed().prefix { !isInWord($0) }.count
        let word = text.dropLast(gap).reversed().prefix(while: isInWord).count
        return text.suffix(gap + word)
    }

    /// From the beginning to the end of the first word.
    static func wordStart(of text: String) -> Substring {
        let gap = text.prefix { !isInWord($0) }.count
        return text.prefix(gap + text.dropFirst(gap).prefix(while: isInWord).count)
    }

    /// From behind the last white space that something follows.
    static func blankEnd(of text: String) -> Substring {
        let gap = text.reversed().prefix(while: \.isWhitespace).count
        return text.suffix(gap + text.dropLast(gap).reversed().prefix { !$0.isWhitespace }.count)
    }

    /// Letters and digits of every script, and whatever is no punctuation besides.
    private static func isInWord(_ character: Character) -> Bool {
        if character.isASCII { return character.isLetter || character.isNumber || character == "_" }
        return !character.isWhitespace && !character.isPunctuation
    }
}
