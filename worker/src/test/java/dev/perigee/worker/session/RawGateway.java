package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.Hello;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** A gateway that speaks the link by hand: it sends what a test says and shows what came. */
final class RawGateway implements AutoCloseable {
    /** Those with which each order has an answer, for tests that wait for it. */
    static final LinkVersions SPOKEN =
            new LinkVersions(LinkVersions.FIRST, LinkVersions.IMPLIED_ACCEPTANCES - 1);

    private static final long PATIENCE_SECONDS = 60;

    final String id;
    final AtomicLong pings = new AtomicLong();
    final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private final BlockingQueue<LinkFrame> answers = new LinkedBlockingQueue<>();
    private final BlockingQueue<LinkFrame.Notification> notices = new LinkedBlockingQueue<>();
    private final BlockingQueue<InstanceEvent> events = new LinkedBlockingQueue<>();
    private final AtomicLong ids = new AtomicLong();
    private final HttpClient http;
    private final WebSocket socket;

    private RawGateway(
            String id, URI link, @Nullable String token, HttpClient http, boolean listens) {
        this.id = id;
        this.http = http;
        var builder = http.newWebSocketBuilder();
        if (token != null) {
            builder.header("Authorization", "Bearer " + token);
        }
        this.socket = builder.buildAsync(link, new Listener(listens)).join();
    }

    static RawGateway dial(String id, URI link, @Nullable String token) {
        return new RawGateway(id, link, token, HttpClient.newHttpClient(), true);
    }

    static RawGateway dial(String id, URI link, @Nullable String token, SSLContext tls) {
        return dial(id, link, token, HttpClient.newBuilder().sslContext(tls));
    }

    static RawGateway dial(String id, URI link, @Nullable String token, HttpClient.Builder http) {
        return new RawGateway(id, link, token, http.build(), true);
    }

    /** Connects and reads nothing, not even pings: as if packets were dropped. */
    static RawGateway deaf(String id, URI link, @Nullable String token) {
        return new RawGateway(id, link, token, HttpClient.newHttpClient(), false);
    }

    /** Dials until it is greeted: one try in a flood may be displaced, as a gateway's may. */
    static RawGateway persistent(String id, URI link, @Nullable String token)
            throws InterruptedException {
        var http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
        for (int left = 10; ; left--) {
            try {
                var gateway = new RawGateway(id, link, token, http, true);
                gateway.send(LinkMethod.HELLO, Hello.Request.of(id, SPOKEN));
                var answer = gateway.answers.poll(2, TimeUnit.SECONDS);
                if (answer instanceof LinkFrame.Response) {
                    return gateway;
                }
                gateway.cut();
            } catch (CompletionException e) {
                if (left == 0) {
                    throw e;
                }
            }
            assertThat(left).as("tries left").isPositive();
        }
    }

    static RawGateway greeted(String id, URI link, @Nullable String token)
            throws InterruptedException {
        var gateway = dial(id, link, token);
        gateway.hello();
        return gateway;
    }

    Hello.Result hello() throws InterruptedException {
        return ask(LinkMethod.HELLO, Hello.Request.of(id, SPOKEN), Hello.Result.class);
    }

    long attachLater(long epoch, long generation, boolean create, List<Attach.Cursor> cursors) {
        return send(
                LinkMethod.ATTACH,
                new Attach.Request(
                        Orders.PARTITION, epoch, id, generation, create, cursors, 1 << 20, null));
    }

    /** The same by a gateway that has a lease. */
    long attachLaterFor(long epoch, long generation, boolean create, long leaseUntilMs) {
        return send(
                LinkMethod.ATTACH,
                new Attach.Request(
                        Orders.PARTITION,
                        epoch,
                        id,
                        generation,
                        create,
                        List.of(),
                        1 << 20,
                        leaseUntilMs));
    }

    Attach.Result attachFor(long epoch, long generation, boolean create, long leaseUntilMs)
            throws InterruptedException {
        attachLaterFor(epoch, generation, create, leaseUntilMs);
        return result(Attach.Result.class);
    }

    Attach.Result attach(long epoch, long generation, boolean create, Attach.Cursor... cursors)
            throws InterruptedException {
        attachLater(epoch, generation, create, List.of(cursors));
        return result(Attach.Result.class);
    }

    /** Attaches as soon as the worker has noticed that the connection before is gone. */
    Attach.Result attachEventually(long epoch, long generation, Attach.Cursor... cursors)
            throws InterruptedException {
        while (true) {
            attachLater(epoch, generation, false, List.of(cursors));
            var answer = next(answers);
            if (answer instanceof LinkFrame.Response response) {
                return Json.read(response.result(), Attach.Result.class);
            }
            assertThat(answer)
                    .isInstanceOfSatisfying(
                            LinkFrame.Failure.class,
                            failure ->
                                    assertThat(failure.code())
                                            .isEqualTo(LinkError.ALREADY_ATTACHED.code()));
        }
    }

    /** Asks, and returns the id. */
    long send(String method, Object params) {
        long request = ids.incrementAndGet();
        sendText(new LinkFrame.Request(request, method, Json.raw(params)).encode());
        return request;
    }

    <T> T ask(String method, Object params, Class<T> type) throws InterruptedException {
        send(method, params);
        return result(type);
    }

    /** Asks for what is refused, and returns the error's code. */
    int refusal(String method, Object params) throws InterruptedException {
        send(method, params);
        return failure().code();
    }

    void tell(String method, Object params) {
        sendText(new LinkFrame.Notification(method, Json.raw(params)).encode());
    }

    void ack(String processId, long seq) {
        tell(
                LinkMethod.ACK,
                new SessionNotice.Ack(
                        Orders.PARTITION, List.of(new SessionNotice.ProcessAck(processId, seq))));
    }

    void sendText(byte[] utf8) {
        sendText(new String(utf8, StandardCharsets.UTF_8));
    }

    void sendText(String text) {
        socket.sendText(text, true).join();
    }

    <T> T result(Class<T> type) throws InterruptedException {
        var answer = next(answers);
        assertThat(answer).isInstanceOf(LinkFrame.Response.class);
        return Json.read(((LinkFrame.Response) answer).result(), type);
    }

    LinkFrame.Failure failure() throws InterruptedException {
        var answer = next(answers);
        assertThat(answer).isInstanceOf(LinkFrame.Failure.class);
        return (LinkFrame.Failure) answer;
    }

    InstanceEvent event() throws InterruptedException {
        return next(events);
    }

    /** Takes events until the worker closes the connection, which an answer may cross. */
    void forEachUntilClosed(Consumer<InstanceEvent> action) throws InterruptedException {
        while (!closed.isDone() || !events.isEmpty()) {
            var event = events.poll(20, TimeUnit.MILLISECONDS);
            try {
                if (event != null) {
                    action.accept(event);
                }
            } catch (CompletionException e) {
                assertThat(closed)
                        .as("closed")
                        .succeedsWithin(Duration.ofSeconds(PATIENCE_SECONDS));
            }
        }
    }

    List<InstanceEvent> events(int count) throws InterruptedException {
        var taken = new ArrayList<InstanceEvent>();
        while (taken.size() < count) {
            taken.add(event());
        }
        return taken;
    }

    LinkFrame.Notification notice() throws InterruptedException {
        return next(notices);
    }

    /** Whatever came before this is not looked at. */
    void forgetNotices() {
        notices.clear();
    }

    boolean hasEvent() {
        return !events.isEmpty();
    }

    /** After an answer to this all earlier messages have had their effect. */
    void settle() throws InterruptedException {
        send("no/such/method", RawJson.EMPTY_OBJECT);
        failure();
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        var next = queue.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("nothing came in " + PATIENCE_SECONDS + " s");
        }
        return next;
    }

    /** Cuts the connection without a goodbye. */
    void cut() {
        socket.abort();
    }

    @Override
    public void close() {
        socket.abort();
        http.shutdownNow();
    }

    private final class Listener implements WebSocket.Listener {
        private final boolean listens;
        private final StringBuilder message = new StringBuilder();

        Listener(boolean listens) {
            this.listens = listens;
        }

        @Override
        public void onOpen(WebSocket opened) {
            if (listens) {
                opened.request(1);
            }
        }

        @Override
        public @Nullable CompletionStage<?> onText(
                WebSocket from, CharSequence text, boolean last) {
            message.append(text);
            if (last) {
                take(LinkFrame.decode(message.toString().getBytes(StandardCharsets.UTF_8)));
                message.setLength(0);
            }
            from.request(1);
            return null;
        }

        private void take(LinkFrame frame) {
            if (!(frame instanceof LinkFrame.Notification notice)) {
                answers.add(frame);
            } else if (notice.method().equals(LinkMethod.EVENT)) {
                events.add(Json.read(notice.params(), InstanceEvent.class));
            } else {
                notices.add(notice);
            }
        }

        /** The answer was sent before. */
        @Override
        public @Nullable CompletionStage<?> onPing(WebSocket from, ByteBuffer payload) {
            pings.incrementAndGet();
            from.request(1);
            return null;
        }

        @Override
        public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
            closed.complete(code);
            return null;
        }

        @Override
        public void onError(WebSocket from, Throwable error) {
            closed.complete(-1);
        }
    }
}
