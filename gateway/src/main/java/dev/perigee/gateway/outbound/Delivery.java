package dev.perigee.gateway.outbound;

/** Told once what became of a record. */
public interface Delivery {
    /** Kafka acknowledged it; on a thread of the producer: hand over and return. */
    void delivered();

    /** Its topic does not take it, and never will: it is larger than allowed. Any thread. */
    void tooLarge();

    /** Nobody waits. */
    Delivery IGNORED =
            new Delivery() {
                @Override
                public void delivered() {}

                @Override
                public void tooLarge() {}
            };
}
