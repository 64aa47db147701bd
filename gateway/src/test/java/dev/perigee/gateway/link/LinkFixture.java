package dev.perigee.gateway.link;

import static org.awaitility.Awaitility.await;

import dev.perigee.faults.FaultProxy;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tls.TlsFileException;
import dev.perigee.protocol.tls.TlsFiles;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.RecordOrigin;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A worker double, a proxy before it and real links through the proxy. They wait longer for the
 * worker than a busy machine stands still, so that only what a test ends is lost.
 */
final class LinkFixture {
    static final Duration LEASE = Duration.ofSeconds(60);
    static final Duration REFUSED_FOR = Duration.ofMillis(700);
    static final Duration PATIENCE = Duration.ofSeconds(30);
    static final PartitionClaim CLAIM = new PartitionClaim(3, 40);

    final FakeWorker worker;
    final FaultProxy proxy;
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final RecordingSessionListener listener = new RecordingSessionListener();
    final List<String> heartbeats = new CopyOnWriteArrayList<>();
    final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
    final AtomicInteger changes = new AtomicInteger();
    private final @Nullable TlsFiles tls;
    private @Nullable WorkerLinks links;

    private LinkOptions.Timing timing = timing(PATIENCE, REFUSED_FOR);

    LinkFixture() throws Exception {
        this(new FakeWorker(), null);
    }

    LinkFixture(FakeWorker worker, @Nullable TlsFiles tls) throws IOException {
        this.worker = worker;
        this.proxy = FaultProxy.to(worker.port());
        this.tls = tls;
    }

    WorkerLinks start() {
        return start(FakeWorker.TOKEN, Duration.ofSeconds(1), 8 << 20);
    }

    WorkerLinks start(String token, Duration minimumRetention, int sendBuffer) {
        return start(proxy.port(), token, minimumRetention, sendBuffer);
    }

    WorkerLinks start(int port, String token, Duration minimumRetention, int sendBuffer) {
        WorkerLinks started;
        try {
            started =
                    LinkClient.start(
                            options(port, token, tls, minimumRetention, sendBuffer, timing),
                            new EventMemory(ByteBudget.of(1 << 30)),
                            new WorkerListener() {
                                @Override
                                public void changed() {
                                    changes.incrementAndGet();
                                }

                                @Override
                                public void heartbeat(String workerId, RawJson heartbeat) {
                                    heartbeats.add(workerId + " " + heartbeat.text());
                                }
                            },
                            meters);
        } catch (TlsFileException e) {
            throw new AssertionError(e);
        }
        links = started;
        return started;
    }

    static LinkOptions options(
            int port,
            String token,
            @Nullable TlsFiles tls,
            Duration minimumRetention,
            int sendBuffer) {
        return options(
                port, token, tls, minimumRetention, sendBuffer, timing(PATIENCE, REFUSED_FOR));
    }

    private static LinkOptions options(
            int port,
            String token,
            @Nullable TlsFiles tls,
            Duration minimumRetention,
            int sendBuffer,
            LinkOptions.Timing timing) {
        var scheme = tls == null ? "ws" : "wss";
        return new LinkOptions(
                "gateway-1",
                List.of(
                        new WorkerSource.One(
                                URI.create(scheme + "://127.0.0.1:" + port + "/link"))),
                Duration.ofMillis(50),
                token,
                tls,
                minimumRetention,
                LEASE,
                1000,
                sendBuffer,
                timing);
    }

    static LinkOptions.Timing timing(Duration silence, Duration refusedFor) {
        return new LinkOptions.Timing(
                PATIENCE,
                silence,
                Duration.ofMillis(100),
                silence,
                refusedFor,
                Duration.ofSeconds(5),
                Duration.ofMillis(10),
                Duration.ofMillis(100),
                Duration.ofMillis(100));
    }

    /** Has it give up a connection on which no answer, or no pong, comes for so long. */
    void giveUpAfter(Duration silence) {
        timing = timing(silence, REFUSED_FOR);
    }

    WorkerLinks links() {
        var started = links;
        if (started == null) {
            throw new IllegalStateException("start first");
        }
        return started;
    }

    WorkerView view() {
        return links().workers().getFirst();
    }

    void awaitState(LinkState state) {
        await().until(() -> view().state() == state);
    }

    /** Starts, and attaches the partition. */
    PartitionLink attached() {
        var started = start();
        awaitState(LinkState.CONNECTED);
        var session = started.open(CLAIM, "worker-1", "first", true, listener);
        await().until(() -> listener.calls.contains("attached"));
        return session;
    }

    double count(String meter, String... tags) {
        var counter = meters.find(meter).tags(tags).counter();
        return counter == null ? -1 : counter.count();
    }

    static Instant in(Duration duration) {
        return Instant.now().plus(duration);
    }

    static RecordOrigin at(long offset) {
        return new RecordOrigin("mcp.tool-requests", 3, offset);
    }

    static ToolOrder.Execute order(long offset) {
        return order(offset, "{}");
    }

    static ToolOrder.Execute order(long offset, String arguments) {
        return new ToolOrder.Execute(
                3,
                at(offset),
                "p-1",
                request("r-" + offset, arguments),
                in(Duration.ofSeconds(30)),
                null,
                null,
                null);
    }

    private static ToolRequest request(String id, String arguments) {
        return ToolRequest.call(id, "t1", "u1", "everything:echo", RawJson.of(arguments), null);
    }

    void close() throws Exception {
        var started = links;
        if (started != null) {
            started.close();
        }
        callers.shutdownNow();
        proxy.close();
        worker.close();
    }
}
