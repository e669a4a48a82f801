// Uses a key in a TPM again and again, to be killed while it does. Never installed; no product names it.
//
//     mildam-enclave-worker ADDRESS KEY [PIN]     KEY is the path of a blob; a line for each agreement
//     mildam-enclave-worker ADDRESS               prints what the TPM says of itself
//
// ADDRESS may be the word "standard": MILDAM_TPM, or the kernel's.

import Foundation
import MildamCrypto
import MildamEnclave

/// Says something at once, in one write.
func say(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard let address = arguments.first else { exit(2) }
do {
    let enclave = TPMEnclave(address == "standard" ? try TPMAddress.standard() : try TPMAddress(address))
    guard arguments.count > 1 else {
        say("\(try await enclave.status())")
        exit(0)
    }
    let key = try EnclaveKeyBlob(bytes: Array(Data(contentsOf: URL(fileURLWithPath: arguments[1]))))
    var pin: EnclavePIN?
    if arguments.count > 2 { pin = try EnclavePIN(SecretBytes(copying: Data(arguments[2].utf8))) }
    let peer = P256.KeyAgreement.PrivateKey().publicKey
    // Until it is killed.
    while true {
        _ = try await enclave.sharedSecret(with: peer, key: key, pin: pin)
        say("agreed")
    }
} catch {
    say("failed: \(error)")
    exit(1)
}
