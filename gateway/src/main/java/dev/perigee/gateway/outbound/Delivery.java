package dev.perigee.gateway.outbound;

/** Callbacks about one record: its one outcome, and before it whether it is kept. */
public interface Delivery {
    /**
     * Kafka acknowledged it, or it was counted as lost; on a thread of the producer: hand over and
     * return.
     */
    void delivered();

    /** Its topic does not take it, and never will: it is larger than allowed. Any thread. */
    void tooLarge();

    /** It is kept until its topic takes records again, or it is too old; before the end. */
    default void kept() {}

    /**
     * True when the record must not be written any more: its owner may be fenced. It is dropped
     * without a further callback. Any thread.
     */
    default boolean isFenced() {
        return false;
    }

    /** Nobody waits. */
    Delivery IGNORED =
            new Delivery() {
                @Override
                public void delivered() {}

                @Override
                public void tooLarge() {}
            };
}
