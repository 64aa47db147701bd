package dev.perigee.protocol.topic;

/** Names of record headers; {@code docs/reference/topics.md} says which record has which. */
public final class Headers {
    public static final String CE_SPECVERSION = "ce_specversion";
    public static final String CE_ID = "ce_id";
    public static final String CE_SOURCE = "ce_source";
    public static final String CE_TYPE = "ce_type";
    public static final String CE_SUBJECT = "ce_subject";
    public static final String CE_TIME = "ce_time";
    public static final String CONTENT_TYPE = "content-type";
    public static final String TRACEPARENT = "traceparent";
    public static final String TRACESTATE = "tracestate";

    /** Where a backend wants a result, the convention of Spring's ReplyingKafkaTemplate. */
    public static final String REPLY_TOPIC = "kafka_replyTopic";

    /** Partition of the reply topic, four bytes, big-endian. */
    public static final String REPLY_PARTITION = "kafka_replyPartition";

    /** Bytes to be copied to the reply. */
    public static final String CORRELATION_ID = "kafka_correlationId";

    /** Why a record became a dead letter: a {@link DeadLetterReason}. */
    public static final String REASON = "perigee-reason";

    /** What exactly was wrong with a dead letter. */
    public static final String DETAIL = "perigee-detail";

    /** Where a dead letter was read: {@code topic-partition@offset}. */
    public static final String ORIGIN = "perigee-origin";

    /** On a record that was put back: the dead letter it comes from, topic-partition@offset. */
    public static final String REDRIVEN_FROM = "perigee-redriven-from";

    /** On a record that was put back: how often it has been by now. */
    public static final String REDRIVES = "perigee-redrives";

    /** Marks a record of dead-letters that says that an earlier one, this one, was put back. */
    public static final String REDRIVEN = "perigee-redriven";

    /** On such a mark: where the letter was put, {@code topic-partition@offset}. */
    public static final String REDRIVEN_TO = "perigee-redriven-to";

    /** The record that a broadcast copy repeats: {@code topic-partition@offset}. */
    public static final String BROADCAST_OF = "perigee-broadcast-of";

    /** When the record that a broadcast copy repeats was appended: milliseconds since 1970. */
    public static final String BROADCAST_AT = "perigee-broadcast-at";

    /** Marks a report of one partition's owner about its copy of a command for every user. */
    public static final String BROADCAST_REPORT = "perigee-broadcast-report";

    private Headers() {}
}
