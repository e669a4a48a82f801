/// A device list that another has taken the place of, with what is needed to believe what was signed under it.
///
/// Nothing in it is believed before the bundle that it is part of has been verified.
public struct EarlierDevices: Codable, Sendable {
    /// The list.
    public let list: Signed<DeviceList>
    /// The records that it names and the next list does not.
    public let devices: [Signed<DeviceRecord>]
    /// Which list came next, said by a device of this one.
    public let handover: Signed<DeviceHandover>

    /// Puts together what one list leaves behind.
    public init(list: Signed<DeviceList>, devices: [Signed<DeviceRecord>], handover: Signed<DeviceHandover>) {
        self.list = list
        self.devices = devices
        self.handover = handover
    }
}
