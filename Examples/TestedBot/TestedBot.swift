import DiceBot
import Earshot

@main
enum TestedBot {
    static func main() async throws {
        try await Room.join("lobby", as: .ephemeral(), nickname: "dice") { room in
            var bot = DiceBot(SystemRandomNumberGenerator())
            try await bot.run(in: room)
        }
    }
}
