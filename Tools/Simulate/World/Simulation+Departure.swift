import MildamClientCore
import MildamIdentity

/// A person who deletes their account (H29).
extension Simulation {
    /// In every other world, at its end, somebody who is in a room and reaches the relay deletes their account. The others hear of it
    /// within a minute, and take out what it has in their rooms.
    func depart() {
        var dice = Dice(seed: seed, .people, 7)
        // What an account has sent that is no more, a relay that was put back does not take back.
        guard oracle.failures.isEmpty, now >= takesBackUntil, dice.isOne(in: 2) else { return }
        let able = clients.filter { client in
            isOpen(client.line) && isReachable(client.person) && !client.memberships.isEmpty
        }
        guard !able.isEmpty else { return }
        let leaver = able[Int(dice.roll(UInt64(able.count)))]
        trace.note(.operation, at: now, leaver.person, 0, "deletes the account")
        coverage.count(.accountDeleted)
        tellRelayTime()
        relay.delete(leaver.device, leaving: Cast.signedClosing(leaver.person))
        close(leaver.person)
        for client in clients where !client.isDeleted {
            queue.put(.hearEnd(client.person, of: leaver.person), at: now + dice.roll(60_000))
        }
        run(until: now + 20_000)
    }

    /// The program of who has no account any more ends for good, and nobody waits for what was wished in it.
    private func close(_ person: UInt8) {
        let index = place(of: person)
        clients[index].isDeleted = true
        clients[index].isRunning = false
        clients[index].isConnected = false
        for (id, wished) in oracle.wishes where wished.person == person {
            oracle.wishes[id]?.isOver = true
            oracle.wishes[id]?.isLost = true
        }
    }

    /// A client hears that an account is no more.
    func hear(_ person: UInt8, ofTheEndOf other: UInt8) {
        let index = place(of: person)
        trace.note(.hear, at: now, person, UInt64(other), "no more")
        clients[index].heardEnds.insert(other)
        guard !step(person, [.closing(Cast.closing(other))]), clients[index].isRunning else { return }
        // Its disk is full: it did not take that in.
        queue.put(.hearEnd(person, of: other), at: now + 60_000)
    }
}
