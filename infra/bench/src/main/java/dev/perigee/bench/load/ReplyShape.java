package dev.perigee.bench.load;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Size of a fleet's result, so that a bare reply is as large.
 *
 * @param headerBytes of each header's value, by its key
 */
public record ReplyShape(int valueBytes, Map<String, Integer> headerBytes) {
    public ReplyShape {
        headerBytes = Map.copyOf(headerBytes);
    }

    static ReplyShape of(ConsumerRecord<byte[], byte[]> result) {
        var headers = new HashMap<String, Integer>();
        result.headers().forEach(header -> headers.put(header.key(), header.value().length));
        return new ReplyShape(result.value().length, headers);
    }
}
