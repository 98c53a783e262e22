/// A binary heap: the least element by `isBefore` first.
struct Heap<Element: Sendable>: Sendable {
    private var elements: [Element] = []
    private let isBefore: @Sendable (Element, Element) -> Bool

    init(by isBefore: @escaping @Sendable (Element, Element) -> Bool) {
        self.isBefore = isBefore
    }

    var first: Element? { elements.first }

    mutating func push(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0, isBefore(elements[child], elements[(child - 1) / 2]) {
            elements.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func pop() -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let first = elements.first else { return last }
        elements[0] = last
        var parent = 0
        while let child = leastChild(of: parent), isBefore(elements[child], elements[parent]) {
            elements.swapAt(child, parent)
            parent = child
        }
        return first
    }

    private func leastChild(of parent: Int) -> Int? {
        let left = 2 * parent + 1
        guard left < elements.count else { return nil }
        let right = left + 1
        return right < elements.count && isBefore(elements[right], elements[left]) ? right : left
    }
}
