@main
struct Earshot {
    static func main() {}
}
