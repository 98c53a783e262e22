extension Nickname {
    /// A random nickname for a user without one: an adjective and an animal, one of 4,096.
    package static func random(using generator: inout some RandomNumberGenerator) -> String {
        guard let adjective = adjectives.randomElement(using: &generator),
            let animal = animals.randomElement(using: &generator)
        else { preconditionFailure("the lists of words are empty") }
        return "\(adjective)-\(animal)"
    }

    static let adjectives = words(
        """
        amber autumn balmy blithe bold brave breezy bright brisk calm candid cheery civil clever cosy crisp
        curious dapper daring deft dewy eager earnest easy fair fleet fond frosty gentle gleaming glad golden
        hardy hazel honest humble jaunty jolly keen kind lively lucky mellow merry misty mossy neat nimble
        patient placid plucky polite proud quick quiet rosy silver sturdy sunny swift tidy warm wise witty
        """)

    static let animals = words(
        """
        badger beaver bison bittern bobcat buzzard chamois cricket crane curlew dipper dolphin dormouse dove eider
        egret ermine falcon ferret finch firefly gannet gecko gibbon goose grebe hare hedgehog heron hoopoe ibex
        ibis jackdaw jay kestrel lapwing lark linnet lynx magpie marmot marten mole moose newt otter owl panda
        petrel plover puffin quail rabbit raven robin seal shrew stork swan tapir tern toad vole wren
        """)

    private static func words(_ text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).map(String.init)
    }
}
