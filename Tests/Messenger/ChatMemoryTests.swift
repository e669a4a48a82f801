import MildamIdentity
import Testing

@testable import MildamMessenger

@Suite("What a conversation shows, it shows once")
struct ChatMemoryTests {
    @Test("a message that the live connection and a fetch both bring")
    func messages() {
        var memory = ChatMemory(shown: 3)
        let shown = [3, 4, 5, 4, 5, 6, 6].map { memory.shows($0) }
        #expect(shown == [false, true, true, false, false, true, false])
        #expect(memory.shown == 6)
    }

    @Test("another room, until something else is shown")
    func otherRooms() {
        var memory = ChatMemory(shown: 0)
        let (kitchen, attic) = (RoomID.random(), RoomID.random())
        let mentioned = [kitchen, kitchen, attic, kitchen].map { memory.mentions($0) }
        #expect(mentioned == [true, false, true, true])
        let afterMessage = (memory.shows(1), memory.mentions(kitchen))
        #expect(afterMessage == (true, true))
        let afterNothing = (memory.shows(1), memory.mentions(kitchen))
        #expect(afterNothing == (false, false), "what is not shown interrupts nothing")
        memory.interrupted()
        let isMentioned = memory.mentions(kitchen)
        #expect(isMentioned)
    }

    @Test("that the relay is there, or away")
    func connection() {
        var memory = ChatMemory(shown: 0)
        #expect(memory.isConnected == nil)
        let isNew = [
            memory.disconnects(), memory.disconnects(), memory.connects(), memory.connects(), memory.disconnects(),
        ]
        #expect(isNew == [true, false, true, false, true])
        #expect(memory.isConnected == false)
    }

    @Test("that what is written is kept, again each time the relay goes")
    func keeping() {
        var memory = ChatMemory(shown: 0)
        let isNew = [memory.keeps(), memory.keeps(), memory.connects(), memory.keeps()]
        #expect(isNew == [true, false, true, true])
    }
}
