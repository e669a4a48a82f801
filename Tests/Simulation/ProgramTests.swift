import Foundation
import Glibc
import TestSupport
import Testing

@Suite("mildam-sim")
struct ProgramTests {
    private func run(_ arguments: String...) throws -> Program.Result { try Program.run("mildam-sim", arguments) }

    @Test("Worlds are played, twice the same; the last lines say how fast, and how many failed")
    func playsWorlds() throws {
        let result = try run("--seeds", "2", "--operations", "60", "--devices", "8", "--twice", "2")
        #expect(result.status == 0, "\(result)")
        #expect(result.output.hasSuffix(" operations a second\n2 seeds, 0 failed\n"))
        // Every counter has its line; what an honest world does not come to, names the test that shows it.
        #expect(result.output.contains("deed:say"))
        #expect(result.output.contains("cause:forged"))
        #expect(result.output.contains("shown by RepairTests.badMessages"))
        #expect(result.errors.isEmpty)
    }

    @Test("With the relay's own code, too, a world is the same each time")
    func storeWorldsTwice() throws {
        let size = ["--operations", "60", "--devices", "8", "--relay", "store"]
        let result = try Program.run("mildam-sim", ["--seeds", "1", "--first-seed", "3", "--twice", "1"] + size)
        #expect(result.status == 0, "\(result)")
        #expect(result.output.hasSuffix("1 seeds, 0 failed\n"))
    }

    @Test("One world, as JSON; another seed is another world")
    func json() throws {
        let (one, other) = (
            try run("--seed", "3", "--operations", "20", "--devices", "4", "--json"),
            try run("--seed", "4", "--operations", "20", "--devices", "4", "--json")
        )
        #expect(one.status == 0)
        let fields = try JSONSerialization.jsonObject(with: Data(one.output.utf8)) as? [String: Any]
        #expect((fields?["seed"] as? Int) == 3)
        #expect((fields?["digest"] as? String)?.count == 64)
        #expect((fields?["failures"] as? [Any])?.isEmpty == true)
        #expect(one.output != other.output)
    }

    @Test("Many worlds as JSON: a line for each, and one for all of them")
    func jsonOfAll() throws {
        let result = try run("--seeds", "2", "--operations", "20", "--devices", "4", "--json")
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 3)
        let last = try #require(lines.last)
        let fields = try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any]
        #expect((fields?["seeds"] as? Int) == 2)
        #expect((fields?["failed"] as? [Any])?.isEmpty == true)
        #expect((fields?["counters"] as? [String: Any])?["deed:say"] != nil)
        #expect(result.errors == "2 seeds, 0 failed\n")
    }

    @Test("Ctrl-C ends a run behind the world that is being played, and tells of those that were")
    func interrupted() throws {
        let program = try Program(
            "mildam-sim",
            ["--seeds", "100000", "--operations", "20", "--devices", "4", "--json"]
        )
        #expect(program.line(containing: "\"seed\":") != nil)
        program.signal(SIGINT)
        let result = program.wait()
        #expect(result.status == 1)
        #expect(result.errors.contains("interrupted after "))
        #expect(result.output.split(separator: "\n").last?.hasPrefix("{\"seeds\":") == true)
    }

    @Test("Nothing fails, so nothing is left out")
    func shrinksNothing() throws {
        let result = try run("--seed", "3", "--operations", "10", "--devices", "4", "--shrink")
        #expect(result.status == 0)
        #expect(result.output == "1 seed, 0 failed\n")
    }

    @Test(
        "What cannot be understood ends with status 2, and says why",
        arguments: [
            ["--seeds"], ["--seeds", "0"], ["--devices", "1"], ["--devices", "201"], ["--shrink"], ["--only", "1"],
            ["--seed", "1", "--only", "x"], ["--relay"], ["--relay", "another"], ["--nothing"],
        ]
    )
    func misuse(_ arguments: [String]) throws {
        let result = try Program.run("mildam-sim", arguments)
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("mildam-sim: "))
        #expect(result.output.isEmpty)
    }

    @Test("Help and the names of the planted faults")
    func help() throws {
        let (help, faults) = (try run("--help"), try run("--planted-faults"))
        #expect(help.status == 0)
        #expect(help.output.contains("usage: mildam-sim"))
        #expect(faults.output.split(separator: "\n").contains("givesNumbersTwice"))
    }
}
