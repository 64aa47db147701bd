package dev.perigee.bench.load;

import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * Answers each request with a record of a given size whose key is the request's id: a consumer and
 * a producer, as a gateway has, and nothing between them. A process of its own, so that what it
 * spends is seen as a gateway's is. Ends with its standard input.
 */
public final class Replier {
    static final String READY = "ready";

    private Replier() {}

    /** Arguments: broker, offset of the id, bytes of the value, key=bytes of each header. */
    public static void main(String[] arguments) throws IOException {
        int offset = Integer.parseInt(arguments[1]);
        var value = new byte[Integer.parseInt(arguments[2])];
        Arrays.fill(value, (byte) 'x');
        var headers = Stream.of(arguments).skip(3).map(Replier::header).toList();
        try (var producer = KafkaClients.producer(arguments[0]);
                var _ =
                        RecordLoop.start(
                                arguments[0],
                                KafkaEcho.REQUESTS,
                                request -> {
                                    var id =
                                            Arrays.copyOfRange(
                                                    request.value(),
                                                    offset,
                                                    offset + EchoRequests.ID_BYTES);
                                    var _ =
                                            producer.send(
                                                    new ProducerRecord<>(
                                                            KafkaEcho.REPLIES,
                                                            null,
                                                            id,
                                                            value,
                                                            headers));
                                })) {
            System.out.println(READY);
            while (System.in.read() >= 0) {
                // Only its end says something.
            }
        }
    }

    private static Header header(String keyAndBytes) {
        int equals = keyAndBytes.indexOf('=');
        int bytes = Integer.parseInt(keyAndBytes.substring(equals + 1));
        return new RecordHeader(keyAndBytes.substring(0, equals), new byte[bytes]);
    }
}
