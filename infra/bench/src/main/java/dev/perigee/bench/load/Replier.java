package dev.perigee.bench.load;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * Answers each request with a record of a given size whose key is the request's id: a consumer and
 * a producer, as a gateway has, and nothing between them. A process of its own, so that what it
 * spends is seen as a gateway's is.
 */
public final class Replier {
    private Replier() {}

    /** Arguments: broker, topic of requests, of replies, offset of the id, form of replies. */
    public static void main(String[] arguments) throws IOException {
        var given = List.of(arguments);
        int offset = Integer.parseInt(given.get(3));
        try (var replies =
                        ReplyProducer.to(
                                given.get(0), given.get(2), given.subList(4, given.size()));
                var _ =
                        RecordLoop.start(
                                given.get(0),
                                given.get(1),
                                request ->
                                        replies.send(
                                                Arrays.copyOfRange(
                                                        request.value(),
                                                        offset,
                                                        offset + EchoRequests.ID_BYTES)))) {
            HelperJvm.serve("");
        }
    }
}
