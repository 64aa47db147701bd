package dev.perigee.bench.load;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/** Produces replies of one form, whose keys are requests' ids. Any thread. */
final class ReplyProducer implements AutoCloseable {
    private final KafkaProducer<byte[], byte[]> producer;
    private final String topic;
    private final byte[] value;
    private final List<Header> headers;

    private ReplyProducer(
            KafkaProducer<byte[], byte[]> producer,
            String topic,
            byte[] value,
            List<Header> headers) {
        this.producer = producer;
        this.topic = topic;
        this.value = value;
        this.headers = headers;
    }

    /** What {@link #to} reads. */
    static List<String> arguments(ReplyShape shape) {
        var arguments = new ArrayList<String>();
        arguments.add(Integer.toString(shape.valueBytes()));
        shape.headerBytes().forEach((key, bytes) -> arguments.add(key + "=" + bytes));
        return arguments;
    }

    /**
     * To a topic.
     *
     * @param arguments bytes of the value, then key=bytes of each header
     */
    static ReplyProducer to(String bootstrap, String topic, List<String> arguments) {
        var value = new byte[Integer.parseInt(arguments.getFirst())];
        Arrays.fill(value, (byte) 'x');
        Stream<String> headers = arguments.stream().skip(1);
        return new ReplyProducer(
                LoadClients.producer(bootstrap),
                topic,
                value,
                headers.map(ReplyProducer::header).toList());
    }

    private static Header header(String keyAndBytes) {
        int equals = keyAndBytes.indexOf('=');
        int bytes = Integer.parseInt(keyAndBytes.substring(equals + 1));
        return new RecordHeader(keyAndBytes.substring(0, equals), new byte[bytes]);
    }

    void send(byte[] id) {
        var _ = producer.send(new ProducerRecord<>(topic, null, id, value, headers));
    }

    @Override
    public void close() {
        producer.close();
    }
}
