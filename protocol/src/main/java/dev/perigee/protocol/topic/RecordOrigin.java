package dev.perigee.protocol.topic;

import dev.perigee.protocol.json.Fields;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Require;

/**
 * Topic, partition and offset of a record: the identity of a command or request, also after a
 * failover.
 *
 * @param topic full topic name
 * @param partition number of the partition, from 0
 * @param offset of the record in that partition
 */
public record RecordOrigin(String topic, int partition, long offset) {
    public RecordOrigin {
        Require.present(topic, "topic");
    }

    /** Takes the fields of one. */
    public static RecordOrigin of(Fields fields) {
        String topic = null;
        Integer partition = null;
        Long offset = null;
        for (var name = fields.next(); name != null; name = fields.next()) {
            switch (name) {
                case "topic" -> topic = fields.text();
                case "partition" -> partition = fields.smallNumber();
                case "offset" -> offset = fields.number();
                default -> {}
            }
        }
        return new RecordOrigin(
                Require.present(topic, "topic"),
                Require.present(partition, "partition"),
                Require.present(offset, "offset"));
    }

    /**
     * Reads what {@link #toString} wrote.
     *
     * @throws InvalidRecordException when it is nothing of that kind
     */
    public static RecordOrigin parse(String text) {
        int at = text.lastIndexOf('@');
        int dash = text.lastIndexOf('-', at);
        try {
            if (dash < 1) {
                throw new NumberFormatException("no partition");
            }
            return new RecordOrigin(
                    text.substring(0, dash),
                    Integer.parseInt(text.substring(dash + 1, at)),
                    Long.parseLong(text.substring(at + 1)));
        } catch (NumberFormatException e) {
            throw InvalidRecordException.invalid("an origin is not topic-partition@offset");
        }
    }

    /** As in headers and ids: {@code topic-partition@offset}. */
    @Override
    public String toString() {
        return topic + "-" + partition + "@" + offset;
    }
}
