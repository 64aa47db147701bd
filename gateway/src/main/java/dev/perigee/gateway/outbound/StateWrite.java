package dev.perigee.gateway.outbound;

import dev.perigee.gateway.inbound.Tenure;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Records of one partition that are written together or not at all, and only while their tenure
 * runs.
 *
 * @param commandsOffset everything in this partition of commands below is done
 * @param patient without a waiting caller: it may linger, to be batched with others
 */
public record StateWrite(
        Tenure tenure,
        List<ProducerRecord<byte[], byte[]>> records,
        long commandsOffset,
        boolean patient,
        Ending ending) {
    public StateWrite {
        records = List.copyOf(records);
    }

    /** One with a caller that waits for it. */
    public StateWrite(
            Tenure tenure,
            List<ProducerRecord<byte[], byte[]>> records,
            long commandsOffset,
            Ending ending) {
        this(tenure, records, commandsOffset, false, ending);
    }

    /** Called once with the outcome of the write, on the publisher's thread; must not block. */
    public interface Ending {
        /**
         * All records are committed, at these offsets, in their order. One that is kept or was
         * dropped has none: -1. Of a patient write nothing is kept by then.
         */
        void committed(List<Long> offsets);

        /** The rest of a patient write is kept until its topic can be written again. */
        default void kept() {}

        /** None is, and none will be. */
        void refused(Refusal refusal);
    }

    /** Reason why a write was dropped. */
    public enum Refusal {
        /** The tenure ended: the next owner does what is to be done. */
        TENURE_ENDED,
        /** One of the records is larger than its topic allows. */
        TOO_LARGE,
        /** The gateway is closing. */
        CLOSED
    }
}
