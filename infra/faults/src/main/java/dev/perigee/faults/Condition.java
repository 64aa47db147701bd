package dev.perigee.faults;

import java.time.Duration;

/**
 * Faults of a {@link FaultProxy}. Immutable.
 *
 * @param refusing new connections are closed at once
 * @param holdingForth nothing passes from those who connect to the target
 * @param holdingBack nothing passes from the target to those who connect
 * @param latency before each piece
 * @param pieceBytes the most that passes at a time
 */
public record Condition(
        boolean refusing,
        boolean holdingForth,
        boolean holdingBack,
        Duration latency,
        int pieceBytes) {
    private static final int FULL_BYTES = 64 * 1024;

    /** Without a fault. */
    public static final Condition HEALTHY =
            new Condition(false, false, false, Duration.ZERO, FULL_BYTES);

    /** New connections are closed at once. */
    public static final Condition REFUSING =
            new Condition(true, false, false, Duration.ZERO, FULL_BYTES);

    /** No byte and no end of a connection passes in these directions, until it may again. */
    public static Condition holding(boolean forth, boolean back) {
        return new Condition(false, forth, back, Duration.ZERO, FULL_BYTES);
    }

    /** All comes late, and no more than so many bytes at a time. */
    public static Condition slow(Duration latency, int pieceBytes) {
        return new Condition(false, false, false, latency, pieceBytes);
    }

    /** Both at once: the worse of each. */
    public Condition and(Condition other) {
        return new Condition(
                refusing || other.refusing,
                holdingForth || other.holdingForth,
                holdingBack || other.holdingBack,
                latency.compareTo(other.latency) > 0 ? latency : other.latency,
                Math.min(pieceBytes, other.pieceBytes));
    }

    boolean holds(Direction direction) {
        return switch (direction) {
            case FORTH -> holdingForth;
            case BACK -> holdingBack;
        };
    }

    boolean holdsAny() {
        return holdingForth || holdingBack;
    }

    /** Seen from those who connect. */
    enum Direction {
        FORTH,
        BACK;

        Direction opposite() {
            return this == FORTH ? BACK : FORTH;
        }
    }
}
