package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.topic.Headers;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.EverythingServer;
import java.io.IOException;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Subscriptions to resources of server-everything, which tells of them every five seconds once its
 * tool is called, in each process or session anew.
 */
@DisplayName("A subscription to a resource")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SubscriptionsThroughFaultsTest {
    private static final String URI = "demo://resource/dynamic/text/1";
    private static final String TELL = "toggle-subscriber-updates";
    private static final String UPDATED = "perigee.server.resource_updated";
    private static final String SUBSCRIPTIONS = "perigee.server.subscriptions";

    private FleetUnderTest fleet;
    private Backend backend;

    @BeforeAll
    void start() throws IOException {
        fleet =
                FleetUnderTest.named("subscriptions")
                        .gateways(2)
                        .workers(2)
                        .gateway("link.refused-for", "2s")
                        .worker("restart.delays", "50ms")
                        .start();
        backend = fleet.backend();
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    private Received event(Installation server, String type, Predicate<Received> wanted) {
        return fleet.records()
                .await(
                        Topic.SERVER_EVENTS,
                        type + " of " + server.processId(),
                        event ->
                                event.text("process_id").equals(server.processId())
                                        && event.text("event").equals(type)
                                        && wanted.test(event));
    }

    private void subscribe(Installation server) {
        var answer = ask(server, "resources/subscribe");
        assertThat(answer.text("outcome")).as(answer.toString()).isEqualTo("success");
        var kept = event(server, SUBSCRIPTIONS, each -> each.text("change").equals("subscribed"));
        assertThat(kept.text("uri")).isEqualTo(URI);
        assertThat(kept.key()).isEqualTo(server.installationId());
    }

    private Received ask(Installation server, String method) {
        return backend.ask(server, method, server.serverSlug() + "|" + URI);
    }

    /** Has the process or session tell, and waits until it does. */
    private Received update(Installation server, Predicate<Received> from) {
        var _ = backend.text(server, TELL, "{}");
        var update = event(server, UPDATED, from);
        assertThat(update.text("uri")).isEqualTo(URI);
        assertThat(update.key()).isEqualTo(server.installationId());
        assertThat(update.header(Headers.CE_TYPE)).isEqualTo(UPDATED);
        return update;
    }

    private Received awaitRenewed(Installation server, Predicate<Received> from) {
        var renewed =
                event(
                        server,
                        SUBSCRIPTIONS,
                        each -> each.text("change").equals("renewed") && from.test(each));
        assertThat(renewed.json().path("count").asInt()).isEqualTo(1);
        assertThat(renewed.json().has("refused")).isFalse();
        return renewed;
    }

    private static Predicate<Received> ofAnotherProcess(Received before) {
        var pid = before.text("pid");
        return event -> !event.text("pid").equals(pid);
    }

    private static Predicate<Received> ofAnotherWorker(Received before) {
        var worker = before.text("worker_id");
        return event -> !event.text("worker_id").equals(worker);
    }

    private int worker(Received event) {
        return event.text("worker_id").equals(fleet.workerId(1)) ? 1 : 2;
    }

    @Test
    @DisplayName("CAL-09: its server is killed: updates arrive again")
    void serverKilled() {
        var server = backend.install(Installation.npm("everything"));
        subscribe(server);
        var before = update(server, _ -> true);

        long pid = before.json().path("pid").asLong();
        assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();

        awaitRenewed(server, ofAnotherProcess(before));
        var after = update(server, ofAnotherProcess(before));
        assertThat(after.header(Headers.CE_ID)).isNotEqualTo(before.header(Headers.CE_ID));
        assertThat(ask(server, "resources/unsubscribe").text("outcome")).isEqualTo("success");
        event(
                server,
                SUBSCRIPTIONS,
                each ->
                        each.text("change").equals("unsubscribed")
                                && each.json().path("count").asInt(-1) == 0);
    }

    @Test
    @DisplayName("CAL-09: its worker is killed: updates arrive again from the other one")
    void workerKilled() {
        var server = backend.install(Installation.npm("everything"));
        subscribe(server);
        var before = update(server, _ -> true);
        int lost = worker(before);

        fleet.part("worker-" + lost).kill();

        awaitRenewed(server, ofAnotherWorker(before));
        update(server, ofAnotherWorker(before));
        fleet.startWorker(lost).awaitReady();
    }

    @Test
    @DisplayName("CAL-09: its worker is drained: updates arrive again from the other one")
    void moved() throws Exception {
        var server = backend.install(Installation.npm("everything"));
        subscribe(server);
        var before = update(server, _ -> true);
        var drains = new Drains(fleet);

        var drain = drains.of(worker(before), "--timeout", "60s");
        assertThat(drain.awaitExit()).as(drain.output()).isZero();

        awaitRenewed(server, ofAnotherWorker(before));
        update(server, ofAnotherWorker(before));
        drains.undo(worker(before));
    }

    @Test
    @DisplayName("CAL-09: its server over HTTP is stopped and started: updates arrive again")
    void serverElsewhere() throws Exception {
        try (var everything = EverythingServer.started("streamableHttp")) {
            var server =
                    backend.install(Installation.elsewhere("http", everything.url().toString()));
            subscribe(server);
            update(server, _ -> true);

            everything.stop();
            everything.start();

            long renewed = awaitRenewed(server, _ -> true).raw().timestamp();
            update(server, event -> event.raw().timestamp() > renewed);
            backend.uninstall(server);
        }
    }
}
