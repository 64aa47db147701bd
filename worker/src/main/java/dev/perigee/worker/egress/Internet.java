package dev.perigee.worker.egress;

import dev.perigee.protocol.config.EgressRule;
import dev.perigee.protocol.config.EgressRule.Network;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Addresses of the internet: no loopback, private, link-local, metadata, multicast, unspecified or
 * reserved one, also not inside an IPv6 address that leads to an IPv4 one. Of IPv6 only global
 * unicast is. Pure.
 */
final class Internet {
    private static final List<Network> ELSEWHERE =
            networks(
                    "0.0.0.0/8", // unspecified
                    "127.0.0.0/8", // loopback
                    "10.0.0.0/8", // private
                    "172.16.0.0/12",
                    "192.168.0.0/16",
                    "100.64.0.0/10", // shared by customers of a carrier
                    "169.254.0.0/16", // link-local, and most clouds' metadata
                    "168.63.129.16/32", // Azure's metadata, at a public address
                    "192.0.0.0/24", // reserved
                    "198.18.0.0/15",
                    "224.0.0.0/4", // multicast
                    "240.0.0.0/4", // reserved, broadcast
                    "2001::/32"); // Teredo, which hides where it leads

    private static final Network GLOBAL_UNICAST = network("2000::/3");
    private static final Network COMPATIBLE = network("::/96");
    private static final Network NAT64 = network("64:ff9b::/96");
    private static final Network SIX_TO_FOUR = network("2002::/16");
    private static final int IPV4_BYTES = 4;
    private static final int IPV6_BYTES = 16;
    private static final int SIX_TO_FOUR_BYTES = 2;

    private Internet() {}

    /** Whether an address is on the internet. */
    static boolean contains(InetAddress address) {
        var reached = reached(address);
        return ELSEWHERE.stream().noneMatch(network -> network.contains(reached))
                && (isIpv4(reached) || GLOBAL_UNICAST.contains(reached));
    }

    /**
     * The IPv4 address that a connection to an IPv6 one arrives at: of mapped and compatible ones
     * (::ffff:10.0.0.1), NAT64, 6to4 and ISATAP. Any other address is its own.
     */
    static InetAddress reached(InetAddress address) {
        var bytes = address.getAddress();
        if (isIpv4(address)) {
            return address;
        }
        if (isMapped(bytes)
                || (COMPATIBLE.contains(address) && !isLoopbackOrUnspecified(bytes))
                || NAT64.contains(address)
                || isIsatap(bytes)) {
            return ipv4(bytes, IPV6_BYTES - IPV4_BYTES);
        }
        return SIX_TO_FOUR.contains(address) ? ipv4(bytes, SIX_TO_FOUR_BYTES) : address;
    }

    private static boolean isIpv4(InetAddress address) {
        return address.getAddress().length == IPV4_BYTES;
    }

    private static boolean isLoopbackOrUnspecified(byte[] bytes) {
        return zeros(bytes, IPV6_BYTES - 1) && (bytes[15] == 0 || bytes[15] == 1);
    }

    private static boolean isMapped(byte[] bytes) {
        return zeros(bytes, 10) && bytes[10] == -1 && bytes[11] == -1;
    }

    private static boolean isIsatap(byte[] bytes) {
        return (bytes[8] & ~0x02) == 0 && bytes[9] == 0 && bytes[10] == 0x5e && bytes[11] == -2;
    }

    private static boolean zeros(byte[] bytes, int length) {
        return Arrays.equals(bytes, 0, length, new byte[length], 0, length);
    }

    private static InetAddress ipv4(byte[] bytes, int from) {
        try {
            return InetAddress.getByAddress(Arrays.copyOfRange(bytes, from, from + IPV4_BYTES));
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e); // Four bytes are always an address.
        }
    }

    private static List<Network> networks(String... texts) {
        return Stream.of(texts).map(Internet::network).toList();
    }

    private static Network network(String text) {
        return (Network) EgressRule.parse(text);
    }
}
