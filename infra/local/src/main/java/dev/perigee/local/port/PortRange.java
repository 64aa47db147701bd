package dev.perigee.local.port;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Ports from the first to the last.
 *
 * @param last is in it
 */
record PortRange(int first, int last) {
    /** What Linux has unless it is changed. */
    private static final PortRange USUAL = new PortRange(32_768, 60_999);

    private static final Path KERNEL = Path.of("/proc/sys/net/ipv4/ip_local_port_range");

    /** Below are the ports of well-known services. */
    private static final int LOWEST = 16_384;

    private static final int HIGHEST = 65_535;
    private static final int ENOUGH = 1_024;

    /** The ports that the kernel hands out: to those who connect, and to those who ask for any. */
    static PortRange ephemeral() {
        // In one read: the kernel gives the beginning only to who reads it in pieces.
        try (var lines = Files.newBufferedReader(KERNEL)) {
            var line = lines.readLine();
            var words = line == null ? new String[0] : line.strip().split("\\s+");
            return words.length == 2
                    ? new PortRange(Integer.parseInt(words[0]), Integer.parseInt(words[1]))
                    : USUAL;
        } catch (IOException e) {
            return USUAL; // Not Linux.
        }
    }

    /**
     * The ports that the kernel does not hand out: below those that it does, or above them. Where
     * neither has enough all will do, since none is better.
     */
    static PortRange besides(PortRange ephemeral) {
        var below = new PortRange(LOWEST, Math.min(ephemeral.first() - 1, HIGHEST));
        if (below.size() >= ENOUGH) {
            return below;
        }
        var above = new PortRange(Math.max(ephemeral.last() + 1, LOWEST), HIGHEST);
        return above.size() >= ENOUGH ? above : new PortRange(LOWEST, HIGHEST);
    }

    int size() {
        return last - first + 1;
    }

    boolean contains(int port) {
        return port >= first && port <= last;
    }

    @Override
    public String toString() {
        return first + "-" + last;
    }
}
