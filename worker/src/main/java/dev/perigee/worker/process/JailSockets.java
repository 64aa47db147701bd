package dev.perigee.worker.process;

/**
 * Sockets of a jail's network, as the kernel counts them, also those that no process has open. Each
 * holds as much as one direction of TCP, those of TCP as much again. So few as usual servers have
 * do not count toward a server's own limit. Pure.
 *
 * @param all of them
 * @param ofTcp of both versions of the internet's protocol, listeners too
 */
record JailSockets(long all, long ofTcp) {
    /** Sockets of one tree that do not count, and those of TCP again. */
    static final int FREE = 128;

    /**
     * The most in a socket in one direction; in a jail none can have larger buffers than the
     * kernel's usual ones.
     */
    static final long BYTES = 256 << 10;

    static final JailSockets NONE = new JailSockets(0, 0);

    /** From what the kernel shows, in files of a network. */
    static JailSockets parse(String sockstat, String sockstat6) {
        return new JailSockets(
                number(sockstat, "sockets: used "),
                number(sockstat, "TCP: inuse ") + number(sockstat6, "TCP6: inuse "));
    }

    /** The one that follows; 0 where nothing does. */
    private static long number(String statistics, String name) {
        return statistics
                .lines()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.substring(name.length()).split(" ", -1)[0]))
                .findFirst()
                .orElse(0);
    }

    /** The most in those that count. */
    long counted() {
        return (Math.max(0, all - FREE) + Math.max(0, ofTcp - FREE)) * BYTES;
    }

    /** The most in the others. */
    long uncounted() {
        return (Math.min(all, FREE) + Math.min(ofTcp, FREE)) * BYTES;
    }
}
