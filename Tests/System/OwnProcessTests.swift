import Foundation
import MildamSystem
import TestSupport
import Testing

@Suite("What a process lets others see of it")
struct OwnProcessTests {
    /// Starts Python as a user who is not the superuser.
    private func python(_ script: String, _ arguments: [String]) throws -> Program.Result {
        let words = ["/usr/bin/python3", "-c", script] + arguments
        guard geteuid() == 0 else { return try Program.run(words[0], Array(words.dropFirst())) }
        return try Program.run("setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups"] + words)
    }

    /// A copy of our program where anybody may start it.
    private func copy(in folder: TemporaryFolder) throws -> String {
        let program = folder.file("program")
        try FileManager.default.copyItem(atPath: Program.find("mildam-system-program"), toPath: program)
        if geteuid() == 0 { for place in [folder.path, program] { unsafe chown(place, 65534, 65534) } }
        return program
    }

    @Test("Shown for a moment it is hidden again, whatever became of that")
    func moment() throws {
        let result = try Program.run("mildam-system-program", ["show"])
        #expect(result.output == "dumpable true\ndumpable false core 0\ndumpable false core 0\n", "\(result)")
    }

    @Test("Its memory can be read by the same user before, and not after")
    func memory() throws {
        let folder = try TemporaryFolder()
        let script = """
            import subprocess, sys
            program = subprocess.Popen([sys.argv[1], "hide"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            for _ in range(2):
                print(program.stdout.readline().decode().strip())
                try:
                    open(f"/proc/{program.pid}/mem", "rb").close()
                    print("readable")
                except PermissionError:
                    print("refused")
                program.stdin.write(b"\\n")
                program.stdin.flush()
            program.wait()
            """
        let result = try python(script, [copy(in: folder)])
        #expect(
            result.output == "dumpable true\nreadable\ndumpable false core 0\nrefused\n",
            "\(result)"
        )
    }

    @Test("It leaves no core dump, where another process does")
    func coreDump() throws {
        let folder = try TemporaryFolder()
        let script = """
            import os, resource, sys
            _, most = resource.getrlimit(resource.RLIMIT_CORE)
            resource.setrlimit(resource.RLIMIT_CORE, (most, most))
            os.chdir(sys.argv[2])
            for word in ["abort", "abort-hidden"]:
                process = os.posix_spawn(sys.argv[1], [sys.argv[1], word], {**os.environ, "SWIFT_BACKTRACE": "enable=no"})
                _, status = os.waitpid(process, 0)
                print(os.WTERMSIG(status), os.WCOREDUMP(status))
            """
        let result = try python(script, [copy(in: folder), folder.path])
        if result.output.hasPrefix("6 False\n") {
            print(
                "skipped: a core dump of a process that hides nothing; `ulimit -Hc unlimited` and a core_pattern of \"core\" let this machine write one"
            )
        } else {
            #expect(result.output.hasPrefix("6 True\n"), "\(result)")
        }
        #expect(result.output.hasSuffix("\n6 False\n"), "\(result)")
    }
}
