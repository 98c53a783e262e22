/// The groups of commands; the effect of each command is said in its entry.
extension Phrase {
    package static let groupTalk = Phrase("talk", "말하기")
    package static let groupDirect = Phrase("direct", "일대일")
    package static let groupView = Phrase("look", "보기")
    package static let groupPeople = Phrase("people", "사람")
    package static let groupSelf = Phrase("yourself", "나")
    package static let groupProgram = Phrase("earshot", "earshot")
}
