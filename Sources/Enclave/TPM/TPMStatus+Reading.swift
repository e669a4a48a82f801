import CTSS2

extension TPMStatus {
    /// Asks a TPM for its properties.
    init(_ connection: TPMConnection, at address: TPMAddress) throws(ResponseCode) {
        let fixed = try connection.properties(MILDAM_PT_MANUFACTURER...MILDAM_PT_FIRMWARE_VERSION_2)
        let variable = try connection.properties(MILDAM_PT_PERMANENT...MILDAM_PT_LOCKOUT_INTERVAL)
        let versions = [MILDAM_PT_FIRMWARE_VERSION_1, MILDAM_PT_FIRMWARE_VERSION_2].map { fixed[$0] ?? 0 }
        self.address = address.description
        manufacturer = TPMStatus.text([fixed[MILDAM_PT_MANUFACTURER]])
        model = TPMStatus.text((MILDAM_PT_VENDOR_STRING_1...MILDAM_PT_VENDOR_STRING_4).map { fixed[$0] })
        firmware = versions.map { "\($0 >> 16).\($0 & 0xFFFF)" }.joined(separator: ".")
        lockoutCounter = Int(variable[MILDAM_PT_LOCKOUT_COUNTER] ?? 0)
        maximumTries = Int(variable[MILDAM_PT_MAX_AUTH_FAIL] ?? 0)
        recoverySeconds = Int(variable[MILDAM_PT_LOCKOUT_INTERVAL] ?? 0)
        freeObjectSlots = Int(variable[MILDAM_PT_HR_TRANSIENT_AVAIL] ?? 0)
        loadedObjects = try connection.handles(from: MILDAM_TRANSIENT_FIRST).count
        loadedSessions = try connection.handles(from: MILDAM_LOADED_SESSION_FIRST).count
        isLockedOut = (variable[MILDAM_PT_PERMANENT] ?? 0) & TPMA_PERMANENT_INLOCKOUT != 0
    }

    /// How many wrong PINs it hears before it locks out.
    var triesLeft: Int { max(0, maximumTries - lockoutCounter) }

    /// Four characters in each number; what is none of ASCII's is left out.
    private static func text(_ words: [UInt32?]) -> String {
        let bytes = words.flatMap { word in (0..<4).map { UInt8((word ?? 0) >> (24 - 8 * $0) & 0xFF) } }
        return String(decoding: bytes.filter { (0x21...0x7E).contains($0) }, as: UTF8.self)
    }
}
