import MildamSystem
import TestSupport
import Testing

@Suite("Core dumps of the programs")
struct CoreDumpTests {
    /// Each program is started with core dumps allowed as far as they are here, and waits since nobody takes its output.
    private static let script = """
        import os, resource, subprocess, sys, time
        _, most = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (most, most))
        with open("/proc/self/coredump_filter", "w") as file:
            file.write("0x33")
        output, full = os.pipe()
        os.set_blocking(full, False)
        try:
            while True:
                os.write(full, bytes(4096))
        except BlockingIOError:
            os.set_blocking(full, True)
        def read(process, name):
            with open(f"/proc/{process.pid}/{name}") as file:
                return file.read()
        def limit(process):
            line = next(line for line in read(process, "limits").split("\\n") if line.startswith("Max core file size"))
            return line.split()[4:6]
        for program in sys.argv[1:]:
            process = subprocess.Popen([program, "--help"], stdout=full, stderr=full)
            end = time.monotonic() + 20
            def state():
                return limit(process) + [str(int(read(process, "coredump_filter"), 16))]
            while state() != ["0", "0", "0"] and time.monotonic() < end and process.poll() is None:
                time.sleep(0.01)
            print(os.path.basename(program), *state())
            process.kill()
            process.wait()
        """

    @Test("none is written of any program, and none that is piped to a program holds memory")
    func limits() async throws {
        let names = ["mildam", "mildam-relay", "mildam-scan", "mildam-keyring"]
        let paths = try names.map { try Program.find($0) }
        let result = try await Program.result(of: "python3", ["-c", Self.script] + paths)
        #expect(result.output == names.map { "\($0) 0 0 0\n" }.joined(), "\(result)")
    }

    @Test("no program's first call is another")
    func first() throws {
        for name in ["mildam", "mildam-relay", "mildam-scan", "mildam-keyring"] {
            let lines = try WholeFile.read(Vectors.packageFolder + "/Sources/\(name)/main.swift", limit: 1 << 16)
            let text = String(decoding: lines, as: UTF8.self)
            let first = text.split(separator: "\n").first { !$0.isEmpty && !$0.hasPrefix("import ") }
            #expect(first == "OwnProcess.forbidCoreDumps()", "\(name)")
        }
    }
}
