package dev.perigee.bench.load;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.OpCode;
import org.eclipse.jetty.websocket.core.client.WebSocketCoreClient;

/**
 * The least that a gateway does which has workers: a consumer, a WebSocket to the worker, on which
 * each request goes as it is, and a producer of replies. It reads no JSON, knows no user, keeps
 * nothing, and nobody makes it wait.
 */
public final class RelayGateway extends RelaySocket {
    private final ReplyProducer replies;

    private RelayGateway(ReplyProducer replies) {
        this.replies = replies;
    }

    /** Arguments: broker, topic of requests, of replies, URI of the worker, form of replies. */
    public static void main(String[] arguments) throws Exception {
        var given = List.of(arguments);
        var client = new WebSocketCoreClient();
        client.start();
        try (var replies =
                ReplyProducer.to(given.get(0), given.get(2), given.subList(4, given.size()))) {
            var relay = new RelayGateway(replies);
            var session = connect(client, relay, URI.create(given.get(3)));
            try (var _ =
                    RecordLoop.ofBatches(
                            given.get(0), given.get(1), batch -> send(session, batch))) {
                HelperJvm.serve("");
            }
        } finally {
            client.stop();
        }
    }

    private static CoreSession connect(WebSocketCoreClient client, RelayGateway relay, URI worker)
            throws IOException, InterruptedException {
        try {
            return client.connect(relay, worker).get();
        } catch (ExecutionException e) {
            throw new IOException("The relay's worker was not reached", e);
        }
    }

    /** What came together goes together. */
    private static void send(CoreSession session, ConsumerRecords<byte[], byte[]> batch) {
        int left = batch.count();
        for (ConsumerRecord<byte[], byte[]> request : batch) {
            left--;
            var frame = new Frame(OpCode.TEXT, ByteBuffer.wrap(request.value()));
            session.sendFrame(frame, Callback.NOOP, left > 0);
        }
    }

    @Override
    void message(ByteBuffer answer) {
        var id = new byte[EchoRequests.ID_BYTES];
        answer.get(answer.position() + RelayWorker.ANSWER_BEFORE_ID.length(), id);
        replies.send(id);
    }
}
