package dev.perigee.protocol.config;

import java.net.IDN;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * One entry of a list of destinations, as operators and backends write it. Pure.
 *
 * <pre>
 *   mcp.example.com        a host             10.1.2.3       an address
 *   *.example.com          all hosts below    10.1.2.0/24    a network
 *   *                      every host         fd00:1::/64    a network
 * </pre>
 *
 * Each but a network may end in {@code :port}, an IPv6 address then in brackets; without a port it
 * stands for all of them. Host names are compared without case, as DNS has them (IDNA), and without
 * the dot that may end them.
 */
public sealed interface EgressRule {
    /** The longest entry, in characters: a host name with wildcard and port. */
    int MAX_CHARS = 270;

    /** What {@link #parse} takes, for messages. */
    String FORM =
            "a host, *.host, an address or a network such as 10.1.2.0/24; but for a network with or"
                    + " without :port";

    /** Whether a connection is meant by the entry. */
    boolean matches(Destination destination);

    /** The same destination, whatever the port. */
    EgressRule atAnyPort();

    /**
     * Destination of a connection, to be compared with any number of entries.
     *
     * @param host as it was asked for, a name or an address; kept in the form that is compared
     * @param address that is dialled
     * @param port that is dialled
     */
    record Destination(String host, InetAddress address, int port) {
        public Destination {
            host = canonical(host);
        }

        /** The same when it is dialled at another address. */
        public Destination at(InetAddress other) {
            return new Destination(host, other, port);
        }
    }

    /**
     * Hosts by name.
     *
     * @param name in lower case, as DNS has it; empty for every host
     * @param below whether the hosts below this name are meant, not the name itself
     * @param port 0 for all
     */
    record Named(String name, boolean below, int port) implements EgressRule {
        @Override
        public boolean matches(Destination destination) {
            if (port != 0 && port != destination.port()) {
                return false;
            }
            var asked = destination.host();
            return below ? name.isEmpty() || asked.endsWith("." + name) : asked.equals(name);
        }

        @Override
        public EgressRule atAnyPort() {
            return new Named(name, below, 0);
        }
    }

    /**
     * Addresses with the same beginning.
     *
     * @param first an address of the network; bits beyond those that count have no meaning
     * @param bits that count, all of them for one address
     * @param port 0 for all
     */
    record Network(InetAddress first, int bits, int port) implements EgressRule {
        @Override
        public boolean matches(Destination destination) {
            return (port == 0 || port == destination.port()) && contains(destination.address());
        }

        @Override
        public EgressRule atAnyPort() {
            return new Network(first, bits, 0);
        }

        /** Whether the address is in the network; one of the other family never is. */
        public boolean contains(InetAddress address) {
            return sameBeginning(first.getAddress(), address.getAddress(), bits);
        }
    }

    /**
     * Reads an entry.
     *
     * @throws IllegalArgumentException when it is none; the message does not quote it
     */
    static EgressRule parse(String text) {
        if (text.isEmpty() || text.length() > MAX_CHARS) {
            throw malformed();
        }
        int slash = text.indexOf('/');
        if (slash >= 0) {
            return network(text.substring(0, slash), text.substring(slash + 1));
        }
        if (text.startsWith("[")) {
            int end = text.indexOf(']');
            if (end < 0) {
                throw malformed();
            }
            return single(text.substring(1, end), portAfter(text.substring(end + 1)));
        }
        int colon = text.indexOf(':');
        if (colon < 0 || colon != text.lastIndexOf(':')) {
            return colon < 0 ? host(text, 0) : single(text, 0);
        }
        return host(text.substring(0, colon), portAfter(text.substring(colon)));
    }

    private static EgressRule host(String text, int port) {
        if (Syntax.IPV4.matcher(text).matches()) {
            return single(text, port);
        }
        if (text.equals("*")) {
            return new Named("", true, port);
        }
        boolean below = text.startsWith("*.");
        return new Named(name(below ? text.substring(2) : text), below, port);
    }

    private static String name(String text) {
        var name = canonical(text);
        if (name.length() > 253 || !Syntax.NAME.matcher(name).matches()) {
            throw malformed();
        }
        return name;
    }

    private static Network single(String address, int port) {
        var first = literal(address);
        return new Network(first, first.getAddress().length * Byte.SIZE, port);
    }

    private static Network network(String address, String prefix) {
        var first = literal(address);
        int most = first.getAddress().length * Byte.SIZE;
        if (!Syntax.NUMBER.matcher(prefix).matches() || Integer.parseInt(prefix) > most) {
            throw malformed();
        }
        int bits = Integer.parseInt(prefix);
        if (!sameBeginning(new byte[most / Byte.SIZE], shifted(first.getAddress(), bits), most)) {
            throw new IllegalArgumentException(
                    "a network must not have bits set after its prefix: 10.1.2.0/24, not"
                            + " 10.1.2.3/24");
        }
        return new Network(first, bits, 0);
    }

    /** The address with its first bits cleared. */
    private static byte[] shifted(byte[] address, int bits) {
        for (int bit = 0; bit < bits; bit++) {
            address[bit / Byte.SIZE] &= (byte) ~(0x80 >> (bit % Byte.SIZE));
        }
        return address;
    }

    private static boolean sameBeginning(byte[] one, byte[] other, int bits) {
        int whole = bits / Byte.SIZE;
        int rest = bits % Byte.SIZE;
        return one.length == other.length
                && Arrays.equals(one, 0, whole, other, 0, whole)
                && (rest == 0 || ((one[whole] ^ other[whole]) & 0xff) >> (Byte.SIZE - rest) == 0);
    }

    private static InetAddress literal(String text) {
        boolean plain =
                Syntax.IPV4.matcher(text).matches()
                        || (text.indexOf(':') >= 0 && text.indexOf('%') < 0);
        try {
            if (plain) {
                return InetAddress.ofLiteral(text);
            }
        } catch (IllegalArgumentException e) {
            // Its message quotes the text.
        }
        throw malformed();
    }

    private static int portAfter(String text) {
        if (text.isEmpty()) {
            return 0;
        }
        var digits = text.substring(1);
        if (text.charAt(0) != ':' || !Syntax.NUMBER.matcher(digits).matches()) {
            throw malformed();
        }
        int port = Integer.parseInt(digits);
        if (port < 1 || port > 65_535) {
            throw malformed();
        }
        return port;
    }

    /** A host as it is compared; one that IDNA does not know stays as it is. */
    private static String canonical(String host) {
        var name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        try {
            return IDN.toASCII(name).toLowerCase(Locale.ROOT);
        } catch (IllegalArgumentException e) {
            return name.toLowerCase(Locale.ROOT);
        }
    }

    private static IllegalArgumentException malformed() {
        return new IllegalArgumentException("must be " + FORM);
    }

    /** The parts of an entry. */
    final class Syntax {
        private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
        private static final Pattern NUMBER = Pattern.compile("\\d{1,5}");

        /** Labels, of which the last has a letter: what looks like a number is no host. */
        private static final Pattern NAME =
                Pattern.compile(
                        "([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\\.)*"
                                + "(?=[a-z0-9-]*[a-z])(?!0x)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

        private Syntax() {}
    }
}
