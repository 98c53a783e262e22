/// The network that a link goes over, by the addresses of this machine's interface.
package struct LinkNetwork: Hashable, Sendable {
    /// The subnets of the interface.
    package let subnets: [Subnet]
    /// The addresses of all interfaces of this machine.
    package let ownAddresses: Set<[UInt8]>
    /// The addresses that this machine's routes lead through.
    package let gateways: Set<[UInt8]>
    /// The index of the interface, which is the scope of its link-local addresses.
    package let scope: UInt32

    package init(subnets: [Subnet], ownAddresses: Set<[UInt8]>, gateways: Set<[UInt8]> = [], scope: UInt32) {
        (self.subnets, self.ownAddresses, self.gateways, self.scope) = (subnets, ownAddresses, gateways, scope)
    }
}

/// The addresses that share the first bits of one.
package struct Subnet: Hashable, Sendable {
    /// 4 bytes for IPv4, 16 for IPv6.
    package let address: [UInt8]
    package let prefixLength: Int

    package init(_ address: [UInt8], prefixLength: Int) {
        (self.address, self.prefixLength) = (address, prefixLength)
    }

    /// Whether `other` of the same family shares the prefix; false for a prefix of no bits.
    package func covers(_ other: [UInt8]) -> Bool {
        guard other.count == address.count, (1...address.count * 8).contains(prefixLength) else { return false }
        let whole = prefixLength / 8
        guard other.prefix(whole).elementsEqual(address.prefix(whole)) else { return false }
        let rest = prefixLength % 8
        return rest == 0 || (other[whole] ^ address[whole]) >> (8 - rest) == 0
    }

    /// Whether an address is that of the whole subnet, which in IPv6 is that of its routers, or its broadcast address: the bits
    /// behind the prefix are all 0 or all 1.
    func isOfAll(_ other: [UInt8]) -> Bool {
        let places = prefixLength..<other.count * 8
        let isSet = places.map { (place: Int) -> Bool in
            let mask = UInt8(0x80) >> UInt8(place % 8)
            return other[place / 8] & mask != 0
        }
        return places.count > 1 && Set(isSet).count == 1
    }
}
