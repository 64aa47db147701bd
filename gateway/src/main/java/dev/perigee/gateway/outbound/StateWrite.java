package dev.perigee.gateway.outbound;

import dev.perigee.gateway.inbound.Tenure;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Records of one partition that are written together or not at all, and only while their tenure
 * runs.
 *
 * @param commandsOffset everything in this partition of commands below is done
 * @param patient nobody waits for it: it may wait a moment for others, to be written with them
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

    /** One that somebody waits for. */
    public StateWrite(
            Tenure tenure,
            List<ProducerRecord<byte[], byte[]>> records,
            long commandsOffset,
            Ending ending) {
        this(tenure, records, commandsOffset, false, ending);
    }

    /** Told once what became of the write, on the publisher's thread: hand over and return. */
    public interface Ending {
        /**
         * All records are committed, at these offsets, in their order. One that is kept or was
         * given up has none: -1. Of a patient write nothing is kept by then.
         */
        void committed(List<Long> offsets);

        /** The rest of a patient write is kept until its topic can be written again. */
        default void kept() {}

        /** None is, and none will be. */
        void refused(Refusal refusal);
    }

    /** Why a write was given up. */
    public enum Refusal {
        /** The tenure ended: the next owner does what is to be done. */
        TENURE_ENDED,
        /** One of the records is larger than its topic allows. */
        TOO_LARGE,
        /** The gateway is closing. */
        CLOSED
    }
}
