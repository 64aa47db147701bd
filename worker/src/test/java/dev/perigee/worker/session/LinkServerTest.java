package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.access.ScramClient;
import dev.perigee.protocol.event.Heartbeat;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.Hello;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.link.SessionNotice;
import java.io.IOException;
import java.net.http.WebSocketHandshakeException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.websocket.core.CloseStatus;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The link's transport and its errors, over real sockets. */
final class LinkServerTest {
    private final LinkServerFixture link =
            new LinkServerFixture(LinkServerFixture.OPTIONS, Duration.ofSeconds(10));

    LinkServerTest() throws IOException {}

    @AfterEach
    void stop() {
        link.close();
    }

    @Test
    @DisplayName("RES-25 without the token, or with another one, nobody is upgraded")
    void refusesWhoHasNotTheToken() {
        for (var token : new String[] {null, "", "wrong", "s3cret2", "s3cre"}) {
            assertThatThrownBy(() -> RawGateway.dial("g", link.uri(), token).close())
                    .as("token %s", token)
                    .isInstanceOf(CompletionException.class)
                    .cause()
                    .isInstanceOfSatisfying(
                            WebSocketHandshakeException.class,
                            refused ->
                                    assertThat(refused.getResponse().statusCode()).isEqualTo(401));
        }
    }

    @Test
    @DisplayName("TEN-14 the worker proves to have the token, and nothing is told before")
    void provesItself() throws Exception {
        try (var peer = RawUpgrade.to(link.uri())) {
            var login = new ScramClient(LinkServerFixture.TOKEN).login();
            var first = peer.ask(login.first());
            assertThat(first.status()).isEqualTo(401);
            assertThat(first.header(ScramClient.PROOF_HEADER)).isNull();

            var second = peer.ask(login.last(List.of(first.challenge())));

            assertThat(second.status()).isEqualTo(101);
            assertThat(login.proves(second.header(ScramClient.PROOF_HEADER))).isTrue();
            assertThat(peer.sent()).doesNotContain(LinkServerFixture.TOKEN);
        }
    }

    @Test
    @DisplayName("TEN-14 who recorded a gateway's whole login is not let in by it")
    void refusesARecording() throws Exception {
        String first;
        String second;
        try (var gateway = RawUpgrade.to(link.uri())) {
            var login = new ScramClient(LinkServerFixture.TOKEN).login();
            first = login.first();
            second = login.last(List.of(gateway.ask(first).challenge()));
            assertThat(gateway.ask(second).status()).isEqualTo(101);
        }
        try (var thief = RawUpgrade.to(link.uri())) {
            assertThat(thief.ask(second).status()).isEqualTo(401);
            assertThat(thief.ask(first).status()).isEqualTo(401);
            assertThat(thief.ask(second).status()).isEqualTo(401);
        }
        assertThat(link.meters.get("perigee.worker.link.unauthorized").counter().count())
                .isEqualTo(2);
        assertThat(link.meters.get("perigee.worker.link.connections").gauge().value())
                .isLessThanOrEqualTo(1);
    }

    @Test
    @DisplayName("TEN-15 20,000 strangers' connections harm neither a link nor who makes one")
    void boundsStrangers() throws Exception {
        try (var before = link.gateway("g-1")) {
            before.attach(1, 1, true);
            try (var flood = Flood.on(link.uri().getPort())) {
                while (flood.tried() < 10_000) {
                    before.settle();
                    assertThat(strangers()).isLessThanOrEqualTo(256);
                }
                try (var meanwhile =
                        RawGateway.persistent("g-2", link.uri(), LinkServerFixture.TOKEN)) {
                    while (flood.tried() < 20_000) {
                        before.settle();
                        assertThat(strangers()).isLessThanOrEqualTo(256);
                    }
                    meanwhile.settle();
                }
                assertThat(flood.made()).isGreaterThan(5_000);
            }
            assertThat(link.meters.get("perigee.worker.link.displaced").functionCounter().count())
                    .isPositive();
            before.settle();
            await().until(() -> strangers() == 0);
        }
    }

    private double strangers() {
        return link.meters.get("perigee.worker.link.unauthenticated").gauge().value();
    }

    @Test
    void refusesToListenForOthersWithoutAToken() {
        assertThatThrownBy(
                        () ->
                                LinkServer.start(
                                                LinkServerFixture.link(
                                                        "0.0.0.0:0", null, Duration.ofSeconds(10)),
                                                new WorkerIdentity("w", "i"),
                                                link.sessions,
                                                LinkServerFixture::heartbeat,
                                                Duration.ofSeconds(30),
                                                link.meters)
                                        .close())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("link.token");
    }

    @Test
    void saysWhoItIsAndThenHowItIs() throws Exception {
        try (var gateway = RawGateway.dial("g-1", link.uri(), LinkServerFixture.TOKEN)) {
            var said = gateway.hello();
            assertThat(said.clockMs()).isPositive();
            var ends = Objects.requireNonNull(said.ends());
            assertThat(ends.worker()).isEqualTo("127.0.0.1|" + link.uri().getPort());
            assertThat(ends.gateway()).startsWith("127.0.0.1|").isNotEqualTo(ends.worker());
            assertThat(said).isEqualTo(hello(said.clockMs(), ends));
            var beat = gateway.notice();
            assertThat(beat.method()).isEqualTo(LinkMethod.HEARTBEAT);
            assertThat(Json.read(beat.params(), Heartbeat.class))
                    .isEqualTo(LinkServerFixture.heartbeat());
        }
    }

    @Test
    void wantsHelloFirst() throws Exception {
        try (var gateway = RawGateway.dial("g-1", link.uri(), LinkServerFixture.TOKEN)) {
            gateway.attachLater(1, 1, true, List.of());
            assertThat(gateway.failure().code()).isEqualTo(LinkError.INVALID_REQUEST.code());
            gateway.hello();
        }
    }

    @Test
    @DisplayName("DEP-08: the greatest version in both ranges is used, else both are named")
    void negotiatesTheVersion() throws Exception {
        try (var gateway = RawGateway.dial("g-1", link.uri(), LinkServerFixture.TOKEN)) {
            assertThat(refusedVersions(gateway, new Hello.Request("g-1", 99, null)))
                    .isEqualTo(LinkVersions.mismatch(only(99), LinkVersions.SPOKEN))
                    .contains("the gateway speaks 99, the worker 1 to 7: upgrade the worker");
            assertThat(refusedVersions(gateway, Hello.Request.of("g-1", new LinkVersions(8, 9))))
                    .contains("the gateway speaks 8 to 9, the worker 1 to 7: upgrade the worker");
            var offer = Hello.Request.of("g-1", new LinkVersions(1, 8));
            assertThat(gateway.ask(LinkMethod.HELLO, offer, Hello.Result.class).protocol())
                    .isEqualTo(7);
        }
        try (var older = RawGateway.dial("g-2", link.uri(), LinkServerFixture.TOKEN)) {
            var fixed = Map.of("gateway_id", "g-2", "protocol", 1);
            assertThat(older.ask(LinkMethod.HELLO, fixed, Hello.Result.class).protocol())
                    .isEqualTo(1);
        }
    }

    private static String refusedVersions(RawGateway gateway, Hello.Request offer)
            throws InterruptedException {
        gateway.send(LinkMethod.HELLO, offer);
        var failure = gateway.failure();
        assertThat(failure.code()).isEqualTo(LinkError.NO_COMMON_VERSION.code());
        return failure.message();
    }

    private static LinkVersions only(int version) {
        return new LinkVersions(version, version);
    }

    @Test
    @DisplayName("RES-25 each bad message is answered with its code and fails alone")
    void answersBadMessagesWithTheirCodes() throws Exception {
        try (var gateway = link.gateway("g-1")) {
            gateway.sendText("{\"jsonrpc\":");
            assertThat(gateway.failure().code()).isEqualTo(LinkError.PARSE_ERROR.code());
            gateway.sendText("[1,2]");
            assertThat(gateway.failure().code()).isEqualTo(LinkError.INVALID_REQUEST.code());
            gateway.sendText("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"x\"}");
            assertThat(gateway.failure().code()).isEqualTo(LinkError.INVALID_REQUEST.code());
            assertThat(gateway.refusal("session/dance", RawJson.EMPTY_OBJECT))
                    .isEqualTo(LinkError.METHOD_NOT_FOUND.code());
            assertThat(
                            gateway.refusal(
                                    LinkMethod.ATTACH,
                                    RawJson.of("{\"partition\":\"three\",\"gateway_id\":\"g-1\"}")))
                    .isEqualTo(LinkError.INVALID_PARAMS.code());
            assertThat(gateway.refusal(LinkMethod.EXECUTE, RawJson.of("[]")))
                    .isEqualTo(LinkError.INVALID_PARAMS.code());
            assertThat(gateway.refusal(LinkMethod.EXECUTE, Orders.call(1, "r-1")))
                    .isEqualTo(LinkError.SESSION_EXPIRED.code());
            gateway.tell(LinkMethod.ACK, RawJson.of("{\"partition\":{}}"));
            assertThat(gateway.attach(1, 1, true).resumed()).isFalse();
        }
    }

    @Test
    @DisplayName("RES-25 an oversized message closes its connection with 1009, others live")
    void closesOnAnOversizedMessage() throws Exception {
        try (var large = link.gateway("g-1");
                var other = link.gateway("g-2")) {
            other.attach(1, 1, true);
            large.sendText("x".repeat(LinkFrame.MAX_BYTES + 1));
            assertThat(large.closed.get(10, TimeUnit.SECONDS))
                    .isEqualTo(CloseStatus.MESSAGE_TOO_LARGE);
            other.settle();
        }
    }

    @Test
    void takesAMessageOfTheLargestSize() throws Exception {
        try (var gateway = link.gateway("g-1")) {
            var head = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"x\",\"params\":\"";
            var tail = "\"}";
            gateway.sendText(
                    head + "x".repeat(LinkFrame.MAX_BYTES - head.length() - tail.length()) + tail);
            assertThat(gateway.failure().id()).isEqualTo(7);
        }
    }

    @Test
    @DisplayName("RES-10 a gateway that gives no sign of life is cut off in time")
    void cutsWhoIsSilent() throws Exception {
        try (var strict = new LinkServerFixture(LinkServerFixture.OPTIONS, Duration.ofSeconds(8));
                var lively = strict.gateway("g-1");
                var deaf = RawGateway.deaf("g-2", strict.uri(), LinkServerFixture.TOKEN)) {
            await().until(
                            () ->
                                    strict.meters
                                                    .get("perigee.worker.link.connections")
                                                    .gauge()
                                                    .value()
                                            == 1);
            lively.settle();
            assertThat(deaf.closed).isNotDone();
        }
    }

    @Test
    @DisplayName("OWN-14 such a gateway is told that the worker lives, and what it has is let go")
    void saysGoodbyeToWhoIsSilent() throws Exception {
        try (var strict = new LinkServerFixture(LinkServerFixture.OPTIONS, Duration.ofSeconds(1));
                var silent = RawUpgrade.to(strict.uri())) {
            var login = new ScramClient(LinkServerFixture.TOKEN).login();
            var asked = silent.ask(login.first());
            assertThat(silent.ask(login.last(List.of(asked.challenge()))).status()).isEqualTo(101);

            assertThat(silent.closeStatus()).isEqualTo(CloseStatus.SHUTDOWN);

            // It does not answer, but that is not waited for.
            await().atMost(Duration.ofSeconds(3))
                    .until(
                            () ->
                                    strict.meters
                                                    .get("perigee.worker.link.connections")
                                                    .gauge()
                                                    .value()
                                            == 0);
        }
    }

    @Test
    @DisplayName(
            "PRO-114 a worker that leaves says so, ends processes, waits for acks, says goodbye")
    void leavesInOrder() throws Exception {
        try (var gateway = link.gateway("g-1")) {
            gateway.attach(1, 1, true);
            gateway.notice();
            var id = gateway.send(LinkMethod.APPLY, Orders.apply(1L, "i1", 10));
            assertThat(id).isPositive();
            gateway.result(RawJson.class);
            var journal = link.instances.instance("i1").journal();
            journal.append(Events.status(), null, null);
            link.server.announce(link.sessions.stop("stopping", Duration.ofSeconds(10)));
            assertThat(gateway.notice().method()).isEqualTo(LinkMethod.DRAINING);
            gateway.send(
                    LinkMethod.ATTACH,
                    new Attach.Request(9, 2, "g-1", 1, true, List.of(), 100, null));
            assertThat(gateway.failure().code()).isEqualTo(LinkError.DRAINING.code());

            var leaving = Thread.ofVirtual().start(() -> shutDown(link.sessions));
            var event = gateway.event();
            gateway.ack(event.processId(), event.seq());
            assertThat(leaving.join(Duration.ofSeconds(20))).isTrue();
            assertThat(link.instances.terminated).hasPositiveValue();
            link.server.close();
            assertThat(gateway.closed.get(10, TimeUnit.SECONDS)).isEqualTo(CloseStatus.SHUTDOWN);
        }
    }

    @Test
    @DisplayName(
            "OWN-18 a worker that stops waits for the next owner of a session that has something, while"
                    + " there is a gateway")
    void awaitsTheNextOwner() throws Exception {
        try (var next = link.gateway("g-2")) {
            try (var first = link.gateway("g-1")) {
                first.attach(1, 1, true);
                var _ = first.send(LinkMethod.APPLY, Orders.apply(1L, "i1", 10));
                first.result(RawJson.class);
                first.tell(LinkMethod.DETACH, new Attach.Detach(1, 1, true));
            }
            var _ = link.sessions.stop("stopping", Duration.ofSeconds(30));
            var waiting = Thread.ofVirtual().start(this::awaitLeft);
            assertThat(waiting.join(Duration.ofMillis(500))).as("nothing to wait for").isFalse();

            assertThat(next.attach(2, 1, false).resumed()).isTrue();
            assertThat(waiting.isAlive()).isTrue();
            next.cut();
            assertThat(waiting.join(Duration.ofSeconds(20))).as("no gateway is left").isTrue();
        }
    }

    private void awaitLeft() {
        try {
            link.sessions.awaitLeft(Duration.ofSeconds(30), link.server::hasGateways);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void shutDown(SessionRegistry sessions) {
        try {
            sessions.shutDown();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @DisplayName("PRO-114 what is queued when the link closes is sent before the goodbye")
    void sendsWhatIsQueuedBeforeTheGoodbye() throws Exception {
        try (var gateway = link.gateway("g-1")) {
            gateway.notice();
            gateway.attach(1, 1, true);
            gateway.ask(LinkMethod.APPLY, Orders.apply(1L, "i1", 10), RawJson.class);
            for (int i = 0; i < 500; i++) {
                link.server.announce(notice(i));
            }
            link.server.close();
            for (int i = 0; i < 500; i++) {
                assertThat(Json.read(gateway.notice().params(), SessionNotice.Draining.class))
                        .isEqualTo(notice(i).notice());
            }
            assertThat(gateway.closed.get(10, TimeUnit.SECONDS)).isEqualTo(CloseStatus.SHUTDOWN);
        }
    }

    @Test
    @DisplayName("OWN-17 packages are prepared for a gateway that has no session yet")
    void preparesPackages() throws Exception {
        try (var gateway = link.gateway("g-1")) {
            gateway.ask(
                    LinkMethod.PREPARE,
                    new InstanceOrder.Prepare(Orders.config("i1")),
                    RawJson.class);
            assertThat(link.instances.orders).containsExactly("prepare i1");
        }
    }

    @Test
    void aNoticeIsNotHeldUpByEvents() throws Exception {
        try (var gateway = link.gateway("g-1")) {
            gateway.notice();
            gateway.attach(1, 1, true);
            gateway.ask(LinkMethod.APPLY, Orders.apply(1L, "i1", 10), RawJson.class);
            var journal = link.instances.instance("i1").journal();
            for (int i = 0; i < 500; i++) {
                journal.append(Events.status(), null, null);
            }
            link.server.announce(notice(1));
            assertThat(Json.read(gateway.notice().params(), SessionNotice.Draining.class))
                    .isEqualTo(notice(1).notice());
            for (int i = 1; i <= 500; i++) {
                assertThat(gateway.event().seq()).isEqualTo(i);
            }
        }
    }

    private static DrainState notice(int version) {
        return new DrainState(DrainState.Phase.DRAINING, version, "notice " + version, null);
    }

    @SuppressWarnings("NullAway") // Of a nested type in another module it misses the annotation.
    private static Hello.Result hello(@Nullable Long clockMs, Hello.@Nullable Ends ends) {
        return new Hello.Result(
                "w-1",
                "i-1",
                20_000,
                List.of(),
                Hello.USUAL_CAPACITY,
                null,
                clockMs,
                ends,
                RawGateway.SPOKEN.greatest());
    }
}
