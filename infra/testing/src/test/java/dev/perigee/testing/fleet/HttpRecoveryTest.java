package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.worker.mcp.HttpFixture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@DisplayName("A server over HTTP that goes and comes back, through topics")
@ExtendWith(SharedFleet.class)
final class HttpRecoveryTest {

    private static final String HI = "{\"message\":\"hi\"}";

    private final FleetUnderTest fleet;
    private final Backend backend;
    private HttpFixture h;

    HttpRecoveryTest(FleetUnderTest fleet) {
        this.fleet = fleet;
        this.backend = fleet.backend();
    }

    @BeforeEach
    void start() throws IOException {
        h = HttpFixture.start();
    }

    @AfterEach
    void end() {
        h.close();
    }

    @Test
    @DisplayName("REC-02, REC-03, REC-09, REC-10, REC-50: is online soon after a first good call")
    void comesBack() throws Exception {
        var server = backend.install(Installation.elsewhere("http", h.url()));
        var watch = down(server);

        h.order("{'mode':'ok'}");
        var answer = backend.call(server, "echo", HI);

        assertThat(answer.text("outcome")).as(answer.toString()).isEqualTo("success");
        var online = watch.await("online");
        assertThat(Duration.between(timeOf(answer), timeOf(online)))
                .isLessThan(Duration.ofSeconds(20));
        assertThat(watch.statuses())
                .containsExactly("offline", "connecting", "discovering_tools", "online");
        var connecting = watch.await("connecting");
        assertThat(PublishedContract.ofThisTree().violations(connecting)).isEmpty();
        assertThat(connecting.text("installation_id")).isEqualTo(server.installationId());
        assertThat(connecting.text("team_id")).isEqualTo(server.teamId());
        assertThat(connecting.text("user_id")).isEqualTo(server.userId());
        assertThat(connecting.text("status_message"))
                .isEqualTo("Server recovered, re-discovering tools");
        assertThat(connecting.text("timestamp"))
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
    }

    @Test
    @DisplayName("REC-05: that is online stays so, and says nothing, with each call")
    void saysNothingWhileWell() throws Exception {
        var server = backend.install(Installation.elsewhere("http", h.url()));
        var watch = StatusWatch.ofOnline(fleet, server);

        for (int call = 0; call < 10; call++) {
            assertThat(backend.text(server, "echo", HI)).isEqualTo("hi");
        }

        assertThat(watch.statusesUntilTheEnd()).isEmpty();
        assertThat(h.count("tools/list")).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "REC-17, REC-24, REC-33: that resets connections is tried three times, then offline")
    void isTriedThreeTimes() throws Exception {
        h.order("{'get':405}"); // A stream would be opened again meanwhile.
        var server = backend.install(Installation.elsewhere("http", h.url()));
        var watch = StatusWatch.ofOnline(fleet, server);
        h.order("{'mode':'refuse'}");
        var attempts = new CopyOnWriteArrayList<Instant>();

        try (var _ = resetting(URI.create(h.url()).getPort(), attempts)) {
            var answer = backend.call(server, "counter_idempotent", "{}");
            // A reset that is seen after the body was handed over leaves open whether the call ran.
            assertThat(answer.text("error/code")).isIn("server_unreachable", "outcome_unknown");
            assertThat(answer.json().path("attempts").asInt()).isEqualTo(3);
            watch.await("offline");
        }

        assertThat(attempts).hasSize(3);
        assertThat(timeOf(watch.await("offline")))
                .isAfterOrEqualTo(attempts.getLast().truncatedTo(ChronoUnit.MILLIS));
        assertThat(watch.statusesUntilTheEnd()).containsExactly("offline");
    }

    @Test
    @DisplayName("REC-07, REC-34: is asked for its tools once, behind the answers of three calls")
    void answersFirst() throws Exception {
        var server = backend.install(Installation.elsewhere("http", h.url()));
        var watch = down(server);
        h.order("{'mode':'ok','delay':{'tools/call':500,'tools/list':5000},'reset':true}");

        var answers =
                backend.answers(
                        Stream.generate(() -> backend.request(server, "echo", HI))
                                .limit(3)
                                .toList());

        var online = watch.await("online");
        assertThat(answers)
                .allSatisfy(
                        answer -> {
                            assertThat(answer.text("outcome")).isEqualTo("success");
                            assertThat(Duration.between(timeOf(answer), timeOf(online)))
                                    .isGreaterThan(Duration.ofSeconds(2));
                        });
        assertThat(watch.statusesUntilTheEnd())
                .containsExactly("offline", "connecting", "discovering_tools", "online");
        assertThat(h.count("tools/list")).isEqualTo(1);
    }

    @Test
    @DisplayName("REC-36: is asked for its tools for each of its users")
    void comesBackForEachUser() throws Exception {
        var alice = Installation.elsewhere("http", h.url());
        var users = List.of(alice, alice.ofUser("bob"));
        users.forEach(backend::install);
        h.order("{'mode':'refuse'}");
        var watches = users.stream().map(user -> StatusWatch.ofOnline(fleet, user)).toList();
        backend.answers(users.stream().map(user -> backend.request(user, "echo", HI)).toList());
        watches.forEach(watch -> watch.await("offline"));
        h.order("{'mode':'ok','delay':{'tools/list':500},'reset':true}");

        backend.answers(users.stream().map(user -> backend.request(user, "echo", HI)).toList());

        for (var watch : watches) {
            watch.await("online");
            assertThat(watch.statuses())
                    .containsExactly("offline", "connecting", "discovering_tools", "online");
        }
        assertThat(h.count("tools/list")).isEqualTo(2);
    }

    @Test
    @DisplayName(
            "REC-08, REC-37, REC-38: keeps its tools while it lists none, then has the new ones")
    void keepsItsTools() throws Exception {
        var server = backend.install(Installation.elsewhere("http", h.url()));
        var watch = down(server);
        h.order("{'mode':'status','status':500,'only':'tools/list'}");
        assertThat(backend.text(server, "echo", HI)).isEqualTo("hi");
        watch.await("error");
        assertThat(toolsTold(server)).hasSize(1);

        h.order("{'mode':'ok','tools':['echo','added']}");
        assertThat(backend.text(server, "echo", HI)).isEqualTo("hi");
        watch.await("online");

        assertThat(backend.ask(server, "tools/list", null).json().at("/result/tools"))
                .extracting(tool -> tool.path("tool_path").asString(""))
                .containsExactly(server.toolPath("echo"), server.toolPath("added"));
        fleet.records()
                .await(
                        Topic.TOOLS,
                        "the new tools",
                        r ->
                                r.key().equals(server.processId())
                                        && r.text("event").equals("mcp.tools.discovered")
                                        && r.json().path("tool_count").asInt() == 2);
        assertThat(watch.statusesUntilTheEnd())
                .containsExactly(
                        "offline",
                        "connecting",
                        "discovering_tools",
                        "error",
                        "connecting",
                        "discovering_tools",
                        "online");
    }

    /** Lets H refuse connections, and a call find that out. */
    private StatusWatch down(Installation server) throws Exception {
        var watch = StatusWatch.ofOnline(fleet, server);
        h.order("{'mode':'refuse'}");
        assertThat(backend.call(server, "echo", HI).text("error/code"))
                .isEqualTo("server_unreachable");
        watch.await("offline");
        return watch;
    }

    private List<Received> toolsTold(Installation server) {
        return fleet.records().on(Topic.TOOLS).stream()
                .filter(r -> r.key().equals(server.processId()))
                .toList();
    }

    private static Instant timeOf(Received received) {
        return Instant.parse(received.text("timestamp"));
    }

    /** A listener that resets each connection as soon as it has it, and notes when. */
    private static ServerSocket resetting(int port, List<Instant> attempts) throws IOException {
        var listener = new ServerSocket();
        listener.setReuseAddress(true);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                while (true) {
                                    var connection = listener.accept();
                                    attempts.add(Instant.now());
                                    connection.setSoLinger(true, 0);
                                    connection.close();
                                }
                            } catch (IOException e) {
                                // The test is over.
                            }
                        });
        return listener;
    }
}
