package dev.perigee.bench.load;

/** Load on one path of calls. */
public sealed interface Load {
    /** So many calls under way: a closed loop, each answer lets the next one go. */
    record InFlight(int count) implements Load {}

    /**
     * So many calls a second: an open loop, each is sent when it is due, whatever became of those
     * before it, and its time counts from when it was due.
     */
    record Rate(int perSecond) implements Load {}

    /** For tables, such as {@code 16 in flight}. */
    default String label() {
        return switch (this) {
            case InFlight(int count) -> count + " in flight";
            case Rate(int perSecond) -> perSecond + "/s";
        };
    }
}
