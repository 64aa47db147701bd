package dev.perigee.testing.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.OAuthServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The authorization server is oidc-provider, the MCP server is written with the official SDK. */
@DisplayName("A server with OAuth, through topics,")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class OAuthFleetTest {
    private static final String KEYS = "k:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

    private FleetUnderTest fleet;
    private Backend backend;

    @BeforeAll
    void start() throws Exception {
        fleet =
                FleetUnderTest.named("oauth")
                        .gateway("state.encryption-keys", KEYS)
                        .gateway("group.session-timeout", "6s")
                        .worker("oauth.client-metadata-url", "https://client.example/perigee.json")
                        .worker("link.retention", "3m")
                        .worker("oauth.redirect-uri", "https://backend.example/oauth/back")
                        .start();
        backend = fleet.backend();
    }

    @AfterAll
    void end() {
        fleet.close();
    }

    private List<Received> events(Installation of) {
        return fleet.records().on(Topic.SERVER_EVENTS).stream()
                .filter(event -> event.text("process_id").equals(of.processId()))
                .toList();
    }

    private List<String> changes(Installation of) {
        return events(of).stream().map(event -> event.text("change")).toList();
    }

    /** The newest event of a change, once there are so many of it. */
    private Received event(Installation of, String change, int count) {
        await().atMost(Records.PATIENCE)
                .until(() -> changes(of).stream().filter(change::equals).count() >= count);
        return events(of).stream()
                .filter(event -> event.text("change").equals(change))
                .toList()
                .getLast();
    }

    private Received configure(Installation server) {
        return backend.result(backend.configure(server, "mcp_installation_updated"));
    }

    @Test
    @DisplayName("CAL-17: refreshes a token once, though its owner changes meanwhile")
    void ownerChanges() throws Exception {
        try (var o = OAuthServer.started()) {
            var tokens = o.order("{\"issue\":{}}");
            var server =
                    Installation.elsewhere("http", o.url())
                            .withOAuth(
                                    Map.of(
                                            "access_token",
                                            tokens.path("access_token").asString(),
                                            "refresh_token",
                                            tokens.path("refresh_token").asString(),
                                            "client_id",
                                            "backend",
                                            "issuer",
                                            o.issuer(),
                                            "resource",
                                            o.url()));
            backend.install(server);
            assertThat(backend.text(server, "whoami", "{}")).isEqualTo("0");

            o.order("{\"hold\":true,\"forget\":true}");
            var call = backend.request(server, "whoami", "{}", it -> it.put("timeout_ms", 120_000));
            await().atMost(Records.PATIENCE).until(() -> o.seen().path("held").asInt() == 1);
            fleet.part("gateway-1").kill();
            o.order("{\"hold\":false}");
            fleet.startGateway(2).awaitReady();

            var answer = backend.answer(call);
            assertThat(answer.text("outcome")).as(answer.toString()).isEqualTo("success");
            assertThat(backend.text(server, "whoami", "{}")).isEqualTo("1");
            event(server, "granted", 1);
            var seen = o.seen();
            assertThat(seen.path("granted").path("refresh_token").asInt()).isEqualTo(1);
            assertThat(seen.path("refused").isEmpty()).isTrue();
            // The next owner may publish an event again, which then has the same id.
            var published = new LinkedHashMap<String, String>();
            events(server).forEach(it -> published.put(it.header("ce_id"), it.text("change")));
            assertThat(published.values()).containsExactly("refreshing", "granted");
            assertShowsNowhere(o, 4);
            backend.uninstall(server);
        }
    }

    @Test
    @DisplayName("CAL-17: has its user authorize, once for more scopes, and again when that ends")
    void userAuthorizes() throws Exception {
        try (var o = OAuthServer.started()) {
            var server = Installation.elsewhere("http", o.url()).withOAuth(Map.of());
            backend.configure(server, "mcp_installation_created");
            var required = event(server, "required", 1);
            assertThat(required.text("issuer")).isEqualTo(o.issuer());
            assertThat(required.json().path("scopes").valueStream().map(each -> each.asString()))
                    .containsExactly("read");
            backend.status(server, "requires_reauth");

            var answer = o.authorize(required.text("url"));
            var forged = new HashMap<>(answer);
            forged.put("iss", "https://other.example");
            configure(server.withOAuth(forged));
            assertThat(event(server, "failed", 1).text("reason")).contains("iss");
            assertThat(o.seen().path("granted").isEmpty()).isTrue();

            var done = configure(server.withOAuth(answer));
            assertThat(done.text("outcome")).as(done.toString()).isEqualTo("completed");
            assertThat(backend.text(server, "whoami", "{}")).isEqualTo("0");

            var lacks = backend.call(server, "store", "{}");
            assertThat(lacks.text("error/message")).contains("lacks scopes: write");
            var more = event(server, "step_up", 1);
            assertThat(more.json().path("scopes").valueStream().map(each -> each.asString()))
                    .containsExactlyInAnyOrder("read", "write");
            assertThat(backend.text(server, "whoami", "{}")).isEqualTo("0");
            configure(server.withOAuth(o.authorize(more.text("url"))));
            event(server, "granted", 2);
            await("the worker to hear that the token is stored")
                    .atMost(Records.PATIENCE)
                    .until(
                            () -> backend.call(server, "store", "{}").text("outcome"),
                            "success"::equals);

            o.order("{\"forget\":true,\"revoke\":true}");
            assertThat(backend.call(server, "whoami", "{}").text("error/code"))
                    .isEqualTo("requires_reauth");
            event(server, "failed", 2);
            event(server, "required", 3);
            assertShowsNowhere(o, 8);
            backend.uninstall(server);
        }
    }

    /**
     * Commands have what the backend wrote; all else must not.
     *
     * @param least how many secrets there were, or more
     */
    private void assertShowsNowhere(OAuthServer o, int least) throws Exception {
        var secrets = o.seen().path("secrets").valueStream().map(each -> each.asString()).toList();
        assertThat(secrets).hasSizeGreaterThanOrEqualTo(least).allMatch(it -> it.length() > 20);
        assertThat(fleet.records().matching(record -> showsAny(record.raw(), secrets))).isEmpty();
        var state = state();
        assertThat(state).anyMatch(record -> record.value() != null);
        assertThat(state).noneMatch(record -> showsAny(record, secrets));
        fleet.parts()
                .forEach(
                        (name, part) ->
                                assertThat(showsAny(part.output(), secrets)).as(name).isFalse());
    }

    /** All that was ever written to the state topic, as it is there. */
    private List<ConsumerRecord<byte[], byte[]>> state() {
        var found = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        Map<String, Object> config =
                Map.of("bootstrap.servers", fleet.bootstrap(), "isolation.level", "read_committed");
        try (var consumer =
                new KafkaConsumer<>(
                        config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            var partitions =
                    consumer.partitionsFor(fleet.names().of(Topic.STATE)).stream()
                            .map(it -> new TopicPartition(it.topic(), it.partition()))
                            .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            var ends = consumer.endOffsets(partitions);
            while (!partitions.stream()
                    .allMatch(it -> consumer.position(it) >= ends.getOrDefault(it, 0L))) {
                consumer.poll(Duration.ofMillis(200)).forEach(found::add);
            }
        }
        return found;
    }

    private static boolean showsAny(ConsumerRecord<byte[], byte[]> record, List<String> secrets) {
        return record.value() != null
                && showsAny(new String(record.value(), StandardCharsets.ISO_8859_1), secrets);
    }

    private static boolean showsAny(String text, List<String> secrets) {
        return secrets.stream().anyMatch(text::contains);
    }
}
