package dev.perigee.testing.fleet;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import java.lang.ref.SoftReference;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * A record that Perigee wrote. Its value is read when it is asked for, and what was read is kept
 * only while there is room: it takes ten times the memory of its bytes.
 */
public final class Received {
    private static final int SHOWN = 400;

    private final String topic;
    private final ConsumerRecord<byte[], byte[]> raw;
    private SoftReference<JsonNode> read = new SoftReference<>(null);

    private Received(String topic, ConsumerRecord<byte[], byte[]> raw) {
        this.topic = topic;
        this.raw = raw;
    }

    static Received of(String prefix, ConsumerRecord<byte[], byte[]> raw) {
        return new Received(raw.topic().substring(prefix.length()), raw);
    }

    /** The topic's name without the prefix. */
    public String topic() {
        return topic;
    }

    public ConsumerRecord<byte[], byte[]> raw() {
        return raw;
    }

    /** The value; missing for a tombstone and for what is no JSON. */
    public synchronized JsonNode json() {
        var json = read.get();
        if (json == null) {
            json = parse(raw.value());
            read = new SoftReference<>(json);
        }
        return json;
    }

    private static JsonNode parse(byte @Nullable [] value) {
        if (value == null) {
            return MissingNode.getInstance();
        }
        try {
            return Json.tree(value);
        } catch (InvalidRecordException e) {
            return MissingNode.getInstance();
        }
    }

    public String key() {
        return raw.key() == null ? "" : new String(raw.key(), StandardCharsets.UTF_8);
    }

    /** True for a record without a value, which removes its key from a compacted topic. */
    public boolean isTombstone() {
        return raw.value() == null;
    }

    /** A header as text, empty when there is none. */
    public String header(String name) {
        var header = raw.headers().lastHeader(name);
        return header == null || header.value() == null
                ? ""
                : new String(header.value(), StandardCharsets.UTF_8);
    }

    /** A field of the value as text, by JSON pointer without the first slash; empty when absent. */
    public String text(String path) {
        return json().at("/" + path).asString("");
    }

    @Override
    public String toString() {
        var text = isTombstone() ? "tombstone" : new String(raw.value(), StandardCharsets.UTF_8);
        return topic
                + "-"
                + raw.partition()
                + "@"
                + raw.offset()
                + " "
                + key()
                + " "
                + (text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text);
    }
}
