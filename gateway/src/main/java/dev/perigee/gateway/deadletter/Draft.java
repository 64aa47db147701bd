package dev.perigee.gateway.deadletter;

import org.apache.kafka.clients.producer.ProducerRecord;

/** Planned redrive of one letter. */
public sealed interface Draft {
    /** It can be put back: this is the record. */
    record Ready(ProducerRecord<byte[], byte[]> record) implements Draft {}

    /** It would become a dead letter again, or have no effect. */
    record Refused(String why) implements Draft {}
}
