package dev.perigee.worker.egress;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Hosts that are an address without a lookup, in any form that a C library or the JDK takes for
 * one: {@code 127.1}, {@code 2130706433}, {@code 0x7f000001}, {@code 0177.0.0.1}, and the names of
 * loopback (RFC 6761), all with or without the dot that may end a name. Pure.
 */
public final class Literals {
    private static final String LOOPBACK = "localhost";
    private static final int PARTS = 4;
    private static final long NO_NUMBER = -1;

    private Literals() {}

    /** Whether a host is no name that has to be looked up. */
    public static boolean isAddress(String host) {
        return !addresses(host).isEmpty();
    }

    /**
     * Where it leads, by every way in which it is read; none of a name that has to be looked up.
     */
    static List<InetAddress> addresses(String host) {
        var name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        var lower = name.toLowerCase(Locale.ROOT);
        if (lower.equals(LOOPBACK) || lower.endsWith("." + LOOPBACK)) {
            return List.of(InetAddress.getLoopbackAddress());
        }
        var numbers = numbers(lower);
        boolean bracketed = name.startsWith("[") && name.endsWith("]");
        try {
            var literal =
                    InetAddress.ofLiteral(bracketed ? name.substring(1, name.length() - 1) : name);
            return numbers == null || numbers.equals(literal)
                    ? List.of(literal)
                    : List.of(literal, numbers);
        } catch (IllegalArgumentException e) {
            return numbers == null ? List.of() : List.of(numbers);
        }
    }

    /** As inet_aton(3) reads it: the last of one to four numbers fills the bytes that are left. */
    private static @Nullable InetAddress numbers(String text) {
        var parts = text.split("\\.", -1);
        if (parts.length > PARTS) {
            return null;
        }
        long value = 0;
        for (int at = 0; at < parts.length; at++) {
            long number = number(parts[at]);
            int bytes = at == parts.length - 1 ? PARTS - at : 1;
            if (number == NO_NUMBER || number >>> (bytes * Byte.SIZE) != 0) {
                return null;
            }
            value = (value << (bytes * Byte.SIZE)) | number;
        }
        return ofNumber(value);
    }

    private static InetAddress ofNumber(long value) {
        try {
            return InetAddress.getByAddress(
                    new byte[] {
                        (byte) (value >>> 24),
                        (byte) (value >>> 16),
                        (byte) (value >>> 8),
                        (byte) value
                    });
        } catch (UnknownHostException e) {
            throw new IllegalStateException("Four bytes are an address", e);
        }
    }

    private static long number(String part) {
        boolean hexadecimal = part.startsWith("0x");
        var digits = hexadecimal ? part.substring(2) : part;
        if (digits.isEmpty() || !Character.isLetterOrDigit(digits.charAt(0))) {
            return NO_NUMBER;
        }
        try {
            int octal = digits.length() > 1 && digits.charAt(0) == '0' ? 8 : 10;
            return Long.parseLong(digits, hexadecimal ? 16 : octal);
        } catch (NumberFormatException e) {
            return NO_NUMBER;
        }
    }
}
