package dev.perigee.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.perigee.gateway.link.NameService.LookupFailedException;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.settings.HostPort;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real links to workers that names lead to. */
@Timeout(60)
final class MembershipTest {
    private final FakeWorker worker = new FakeWorker();
    private final Names names = new Names();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private @Nullable WorkerLinks links;

    MembershipTest() throws Exception {}

    @AfterEach
    void close() throws Exception {
        if (links != null) {
            links.close();
        }
        worker.close();
    }

    /** A name service in memory; a name that it does not have has no answer. */
    private static final class Names implements NameService {
        private final Map<String, List<HostPort>> services = new ConcurrentHashMap<>();
        private final Map<String, List<InetAddress>> addresses = new ConcurrentHashMap<>();

        @Override
        public List<InetAddress> addresses(String host) throws LookupFailedException {
            return found(addresses, host);
        }

        @Override
        public List<HostPort> services(String name) throws LookupFailedException {
            return found(services, name);
        }

        private static <T> List<T> found(Map<String, List<T>> all, String name)
                throws LookupFailedException {
            var found = all.get(name);
            if (found == null) {
                throw new LookupFailedException("no " + name);
            }
            return found;
        }
    }

    private WorkerLinks start(String source, NameService service) throws Exception {
        return start(source, service, LinkFixture.REFUSED_FOR);
    }

    private WorkerLinks start(String source, NameService service, Duration refusedFor)
            throws Exception {
        var parsed = WorkerSource.parse(source);
        assertThat(parsed).isNotNull();
        var like = LinkFixture.options(1, FakeWorker.TOKEN, null, Duration.ofSeconds(1), 1 << 20);
        var options =
                new LinkOptions(
                        like.gatewayId(),
                        List.of(parsed),
                        like.refresh(),
                        like.token(),
                        null,
                        like.minimumRetention(),
                        like.lease(),
                        like.creditBytes(),
                        like.sendBufferBytes(),
                        LinkFixture.timing(LinkFixture.PATIENCE, refusedFor));
        var started =
                LinkClient.start(
                        options,
                        new EventMemory(ByteBudget.of(1 << 30)),
                        new WorkerListener() {
                            @Override
                            public void changed() {}

                            @Override
                            public void heartbeat(String workerId, RawJson heartbeat) {}
                        },
                        meters,
                        service);
        links = started;
        return started;
    }

    private HostPort here() {
        return new HostPort("127.0.0.1", worker.port());
    }

    @Test
    void dialsTheTargetsOfAServiceAsTheyComeAndGo() throws Exception {
        var started = start("srv+ws://_link._tcp.test/link", names);
        assertThat(started.workers()).isEmpty();

        names.services.put("_link._tcp.test", List.of(here(), new HostPort("127.0.0.1", 1)));
        await().until(
                        () ->
                                started.workers().size() == 2
                                        && started.workers().getFirst().state()
                                                == LinkState.CONNECTED);
        assertThat(meters.find("perigee.link.state").tag("address", "127.0.0.1:1").gauge())
                .isNotNull();

        names.services.put("_link._tcp.test", List.of(new HostPort("127.0.0.1", 2)));
        await().until(
                        () ->
                                started.workers().stream()
                                        .noneMatch(view -> view.address().getPort() == 1));
        assertThat(started.workers())
                .extracting(WorkerView::state)
                .as("a worker that is connected is kept")
                .contains(LinkState.CONNECTED);
        await().until(
                        () ->
                                meters.find("perigee.link.state")
                                                .tag("address", "127.0.0.1:1")
                                                .gauge()
                                        == null);
    }

    @Test
    void keepsItsWorkersWhileTheNameHasNoAnswer() throws Exception {
        var looks = new java.util.concurrent.atomic.AtomicInteger();
        names.services.put("_link._tcp.test", List.of(new HostPort("127.0.0.1", 1)));
        var started =
                start(
                        "srv+ws://_link._tcp.test/link",
                        new NameService() {
                            @Override
                            public List<InetAddress> addresses(String host)
                                    throws LookupFailedException {
                                return names.addresses(host);
                            }

                            @Override
                            public List<HostPort> services(String name)
                                    throws LookupFailedException {
                                looks.incrementAndGet();
                                return names.services(name);
                            }
                        });
        await().until(() -> started.workers().size() == 1);

        names.services.clear();
        int before = looks.get();
        await().until(() -> looks.get() > before + 3);

        assertThat(started.workers()).hasSize(1);
    }

    @Test
    void goesToTheAddressThatWasFoundNotToTheNamesOwn() throws Exception {
        names.addresses.put("nowhere.invalid", List.of(InetAddress.getLoopbackAddress()));

        var started = start("dns+ws://nowhere.invalid:" + worker.port() + "/link", names);

        await().until(
                        () ->
                                started.workers().stream()
                                        .anyMatch(view -> view.state() == LinkState.CONNECTED));
        assertThat(started.workers().getFirst().address())
                .isEqualTo(URI.create("ws://127.0.0.1:" + worker.port() + "/link"));
    }

    @Test
    void aWorkerThatRestartsAtAnotherAddressIsTakenThere() throws Exception {
        var second = new FakeWorker();
        try {
            names.services.put("_link._tcp.test", List.of(here()));
            var started = start("srv+ws://_link._tcp.test/link", names);
            await().until(
                            () ->
                                    started.workers().stream()
                                            .anyMatch(v -> v.state() == LinkState.CONNECTED));
            var listener = new RecordingSessionListener();
            started.open(LinkFixture.CLAIM, "worker-1", "first", true, listener);
            await().until(() -> listener.calls.contains("attached"));

            worker.close();
            second.incarnation("second");
            names.services.put(
                    "_link._tcp.test", List.of(new HostPort("127.0.0.1", second.port())));

            await().until(() -> listener.calls.contains("lost INCARNATION_CHANGED"));
            await().until(
                            () ->
                                    started.workers().stream()
                                            .anyMatch(
                                                    v ->
                                                            v.state() == LinkState.CONNECTED
                                                                    && "second"
                                                                            .equals(
                                                                                    v
                                                                                            .incarnation())));
            assertThat(started.workers())
                    .filteredOn(view -> "worker-1".equals(view.workerId()))
                    .hasSize(1);
            var next = new RecordingSessionListener();
            started.open(new PartitionClaim(3, 41), "worker-1", "second", true, next);
            await().until(() -> next.calls.contains("attached"));
        } finally {
            second.close();
        }
    }

    @Test
    @DisplayName("OWN-14: a process that answers at another address lives, whatever refuses here")
    void aProcessThatAnswersElsewhereIsNotDead() throws Exception {
        var elsewhere = new FakeWorker();
        try {
            for (var address : List.of(worker, elsewhere)) {
                address.retention(Duration.ofSeconds(9)); // 4 s after the margin
                address.saysItsEnds();
            }
            var first = here();
            names.services.put("_link._tcp.test", List.of(first));
            // Longer than a busy machine may need for an answer from elsewhere.
            var refusedFor = Duration.ofSeconds(3);
            var started = start("srv+ws://_link._tcp.test/link", names, refusedFor);
            await().until(
                            () ->
                                    started.workers().stream()
                                            .anyMatch(v -> v.state() == LinkState.CONNECTED));
            var listener = new RecordingSessionListener();
            started.open(LinkFixture.CLAIM, "worker-1", "first", true, listener);
            await().until(() -> listener.calls.contains("attached"));
            names.services.put(
                    "_link._tcp.test", List.of(first, new HostPort("127.0.0.1", elsewhere.port())));
            await().until(() -> !elsewhere.received(LinkMethod.HELLO).isEmpty());

            worker.close();

            await().until(() -> listener.calls.contains("lost UNREACHABLE"));
            assertThat(listener.calls).doesNotContain("lost DEAD");
            await().until(
                            () ->
                                    started.workers().stream()
                                            .anyMatch(v -> v.state() == LinkState.CONNECTED));
        } finally {
            elsewhere.close();
        }
    }

    @Test
    void theSystemKnowsThisMachine() throws Exception {
        var started = start("dns+ws://localhost:" + worker.port() + "/link", new Dns());

        await().until(
                        () ->
                                started.workers().stream()
                                        .anyMatch(view -> view.state() == LinkState.CONNECTED));
    }

    @Test
    void asksADnsServerForServices() throws Exception {
        try (var server = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().name("dns").start(() -> answer(server));
            var dns = new Dns("dns://127.0.0.1:" + server.getLocalPort());

            assertThat(dns.services("_link._tcp.test"))
                    .containsExactly(new HostPort("worker-7.test", 7070));
            assertThatThrownBy(() -> dns.services("_other._tcp.test"))
                    .isInstanceOf(LookupFailedException.class)
                    .hasMessageContaining("_other._tcp.test");
        }
    }

    /** Answers questions for _link._tcp.test by one record, and others by NXDOMAIN. */
    private static void answer(DatagramSocket server) {
        var buffer = new byte[512];
        try {
            while (true) {
                var packet = new DatagramPacket(buffer, buffer.length);
                server.receive(packet);
                var asked = ByteBuffer.wrap(buffer, 0, packet.getLength());
                var name =
                        new String(
                                buffer, 12, packet.getLength() - 12, StandardCharsets.ISO_8859_1);
                boolean known = name.contains("_link");
                int end = 12 + name.indexOf('\0') + 5;
                var reply = ByteBuffer.allocate(512);
                reply.putShort(asked.getShort(0)).putShort((short) (known ? 0x8580 : 0x8583));
                reply.putShort((short) 1).putShort((short) (known ? 1 : 0)).putInt(0);
                reply.put(buffer, 12, end - 12);
                if (known) {
                    var target = "\10worker-7\4test\0".getBytes(StandardCharsets.ISO_8859_1);
                    reply.putShort((short) 0xc00c).putShort((short) 33).putShort((short) 1);
                    reply.putInt(60).putShort((short) (6 + target.length));
                    reply.putShort((short) 10).putShort((short) 5).putShort((short) 7070);
                    reply.put(target);
                }
                server.send(
                        new DatagramPacket(
                                reply.array(), reply.position(), packet.getSocketAddress()));
            }
        } catch (java.io.IOException e) {
            // Closed.
        }
    }
}
