package dev.perigee.console;

import dev.perigee.gateway.partition.Whereabouts;
import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.Heartbeat;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts records on the board. What cannot be read is counted and left out. */
final class RecordIntake {
    private static final Logger LOG = LoggerFactory.getLogger(RecordIntake.class);
    private static final String SOURCE = "perigee/partitions/";

    private final TopicNames names;
    private final Board board;

    RecordIntake(TopicNames names, Board board) {
        this.names = names;
        this.board = board;
    }

    void take(ConsumerRecord<byte[], byte[]> record) {
        try {
            put(record);
        } catch (RuntimeException e) {
            // Anybody may have written it: a field that is missing must not end the reader.
            board.unreadable();
            LOG.atDebug()
                    .addKeyValue("topic", record.topic())
                    .addKeyValue("offset", record.offset())
                    .setCause(e)
                    .log("The console cannot read a record");
        }
    }

    private void put(ConsumerRecord<byte[], byte[]> record) {
        var topic = names.topic(record.topic());
        if (topic == null) {
            return;
        }
        byte @Nullable [] key = record.key();
        byte @Nullable [] value = record.value();
        switch (topic) {
            case STATUS -> {
                if (value == null) {
                    board.removed(text(key));
                } else {
                    event(record, value);
                }
            }
            case LIFECYCLE, LOGS, REQUEST_LOGS -> {
                if (value != null) {
                    event(record, value);
                }
            }
            case HEARTBEATS -> {
                if (value != null) {
                    heartbeat(key, value);
                }
            }
            case STATE -> {
                var said = Whereabouts.read(key, value);
                if (said != null) {
                    board.whereabouts(record.partition(), record.offset(), said);
                }
            }
            case COMMANDS,
                    TOOL_REQUESTS,
                    TOOL_RESULTS,
                    COMMAND_RESULTS,
                    CALL_EVENTS,
                    SERVER_EVENTS,
                    TOOLS,
                    CATALOG,
                    USAGE,
                    DEAD_LETTERS,
                    AUDIT -> {}
        }
    }

    private void event(ConsumerRecord<byte[], byte[]> record, byte[] value) {
        var event = Event.read(value);
        if (!event.origin().processId().equals(text(record.key()))) {
            throw InvalidRecordException.invalid("process_id is not the key");
        }
        board.event(event, RecordId.parse(header(record, Headers.CE_ID)), partition(record));
    }

    /** Gateways write who told it as the key, and pass the value on unread. */
    private void heartbeat(byte @Nullable [] key, byte[] value) {
        var heartbeat = Json.read(value, Heartbeat.class);
        if (!heartbeat.workerId().equals(text(key))) {
            throw InvalidRecordException.invalid("worker_id is not the key");
        }
        board.heartbeat(heartbeat);
    }

    private static int partition(ConsumerRecord<byte[], byte[]> record) {
        var source = header(record, Headers.CE_SOURCE);
        try {
            return source != null && source.startsWith(SOURCE)
                    ? Integer.parseInt(source.substring(SOURCE.length()))
                    : -1;
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private static @Nullable String header(ConsumerRecord<byte[], byte[]> record, String name) {
        var header = record.headers().lastHeader(name);
        return header == null || header.value() == null ? null : text(header.value());
    }

    private static String text(byte @Nullable [] bytes) {
        return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
    }
}
