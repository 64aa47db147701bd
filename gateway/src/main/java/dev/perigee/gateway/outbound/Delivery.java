package dev.perigee.gateway.outbound;

/** Told once what became of a record, on a thread of the producer: hand over and return. */
public interface Delivery {
    /** Kafka acknowledged it. */
    void delivered();

    /** Its topic does not take it, and never will: it is larger than allowed. */
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
