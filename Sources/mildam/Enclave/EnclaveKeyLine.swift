import MildamEnclave
import MildamFiles
import MildamWire

/// A key as it is listed.
struct EnclaveKeyLine: Encodable {
    var name: String
    var enclave: String
    var purpose: String
    var pin: Bool
    var group: String?
    var publicKey: String
    var x963: String

    init(_ name: String, _ blob: EnclaveKeyBlob, group: String?) {
        self.name = name
        enclave = blob.kind.answer
        purpose = blob.purpose.answer
        pin = blob.hasPIN
        self.group = group
        publicKey = ECKeyFile.text(publicKey: blob.publicKey.derRepresentation)
        x963 = Hex.encode(blob.publicKey.x963Representation)
    }

    var text: String { shown("\(name)  \(purpose), \(enclave)\(pin && enclave == "tpm" ? ", PIN" : "")") }
}
