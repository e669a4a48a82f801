import Foundation
import TestSupport
import Testing

@testable import MildamEnclave

@Suite("Addresses of TPMs", .serialized)
struct AddressTests {
    @Test func forms() throws {
        #expect(TPMAddress.kernel.description == "device:/dev/tpmrm0" && TPMAddress.kernel.isManaged)
        #expect(try TPMAddress("/dev/tpmrm0") == .kernel)
        #expect(try TPMAddress("device:/dev/tpmrm0") == .kernel)
        #expect(try !TPMAddress("device:/dev/tpm0").isManaged)
        let simulator = try TPMAddress("swtpm:path=/tmp/socket")
        #expect(simulator.path == "/tmp/socket" && !simulator.isManaged)
        #expect(simulator.description == "swtpm:path=/tmp/socket")
        #expect(try TPMAddress("swtpm:host=localhost,port=2321").path == nil)
        // Others name libraries that are loaded, or programs that are run.
        for text in ["", "device:", "device:tpm0", "swtpm:", "mssim:host=x", "cmd:sh", "libtcti.so:x", "tabrmd"] {
            #expect(throws: EnclaveError.invalidAddress(text)) { try TPMAddress(text) }
        }
    }

    @Test func howASimulatorIsStarted() throws {
        #expect(try TPMAddress("device:/dev/tpm0").simulatorCommand == nil)
        let named = try TPMAddress("swtpm:host=localhost,port=4000").simulatorCommand
        #expect(named?.contains("--server type=tcp,port=4000 --ctrl type=tcp,port=4001 ") == true)
        #expect(try TPMAddress("swtpm:host=localhost").simulatorCommand?.contains("port=2321 ") == true)
        for port in ["", "x", "-1", "65536", "9223372036854775807"] {
            #expect(try TPMAddress("swtpm:host=localhost,port=\(port)").simulatorCommand == nil, "\(port)")
        }
    }

    @Test func absence() async throws {
        let folder = try TemporaryFolder()
        for (address, absence) in [
            ("device:" + folder.file("nothing"), EnclaveError.Absence.missing),
            ("swtpm:path=" + folder.file("nothing"), .missing),
            ("device:/dev/null", .noAnswer),
            ("swtpm:host=127.0.0.1,port=1", .noAnswer),
        ] {
            let enclave = TPMEnclave(try TPMAddress(address))
            let failed = await failure { _ = try await enclave.status() }
            #expect(failed == .absent(address: address, absence))
        }
        // A file is no TPM, and a socket that is closed at once is none.
        try Data([1]).write(to: URL(fileURLWithPath: folder.file("file")))
        let enclave = TPMEnclave(try TPMAddress("swtpm:path=" + folder.file("file")))
        let failed = await failure { _ = try await enclave.status() }
        #expect(failed == .absent(address: "swtpm:path=" + folder.file("file"), .noAnswer))
    }

    @Test(.enabled(if: getuid() == 0, "only root can become somebody who may not"))
    func withoutPermission() async throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: folder.file("tpm")))
        let result = try await Program.result(
            of: "setpriv",
            [
                "--reuid=65534", "--regid=65534", "--clear-groups", try Program.find("mildam-enclave-worker"),
                "device:" + folder.file("tpm"),
            ],
            environment: ["XDG_RUNTIME_DIR": ""]
        )
        #expect(result.output.contains("group tss"), "\(result)")
    }

    @Test func fromTheEnvironment() async throws {
        let result = try await Program.result(
            of: "mildam-enclave-worker",
            ["standard"],
            environment: ["MILDAM_TPM": "swtpm:path=/nowhere/at/all"]
        )
        #expect(result.output.contains("there is no TPM at swtpm:path=/nowhere/at/all"), "\(result)")
    }
}
