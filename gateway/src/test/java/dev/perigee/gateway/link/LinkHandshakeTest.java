package dev.perigee.gateway.link;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.perigee.faults.Impostor;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.Hello;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.LinkVersions;
import dev.perigee.protocol.link.SessionNotice;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** From the first dial to an attached session. */
final class LinkHandshakeTest {
    private static final Duration ENOUGH = Duration.ofSeconds(1);

    @AutoClose private final LinkFixture fixture;
    private final FakeWorker worker;

    LinkHandshakeTest() throws Exception {
        fixture = new LinkFixture();
        worker = fixture.worker;
    }

    private void awaitProblem(String part) {
        await().until(
                        () -> {
                            var problem = fixture.view().problem();
                            return problem != null && problem.contains(part);
                        });
    }

    @Test
    void greetsAndAttaches() {
        var session = fixture.attached();

        assertThat(worker.received(LinkMethod.HELLO, Hello.Request.class))
                .containsExactly(Hello.Request.of("gateway-1", LinkVersions.SPOKEN));
        assertThat(worker.received(LinkMethod.ATTACH, Attach.Request.class))
                .containsExactly(
                        new Attach.Request(3, 40, "gateway-1", 1, true, List.of(), 1000, null));
        assertThat(session.workerId()).isEqualTo("worker-1");
        var view = fixture.view();
        assertThat(view.workerId()).isEqualTo("worker-1");
        assertThat(view.incarnation()).isEqualTo("first");
        assertThat(view.retention()).isEqualTo(Duration.ofSeconds(30));
        assertThat(view.goneSince()).isNull();
        assertThat(view.problem()).isNull();
    }

    @Test
    @DisplayName("hears what the worker says of itself before its hello is answered")
    void hearsEarlyNotices() {
        var hello = worker.behaviour(LinkMethod.HELLO);
        worker.on(
                LinkMethod.HELLO,
                request -> {
                    worker.tell(LinkMethod.HEARTBEAT, Map.of("worker_id", "worker-1"));
                    worker.tell(
                            LinkMethod.DRAINING,
                            new SessionNotice.Draining("a test", 1, SessionNotice.Phase.DRAINING));
                    return hello.apply(request);
                });

        fixture.start();

        await().until(() -> !fixture.heartbeats.isEmpty());
        await().until(() -> fixture.view().phase() == SessionNotice.Phase.DRAINING);
    }

    @Test
    void keepsDiallingAWorkerThatIsNotThereYet() {
        fixture.proxy.refuse();
        fixture.start();
        await().until(() -> fixture.count("perigee.link.attempts.failed") >= 3);
        assertThat(fixture.view().state()).isEqualTo(LinkState.CONNECTING);

        fixture.proxy.heal();

        fixture.awaitState(LinkState.CONNECTED);
    }

    @Test
    void opensNothingOnAWorkerThatItNeverMet() {
        var links = fixture.start();

        assertThatThrownBy(
                        () ->
                                links.open(
                                        LinkFixture.CLAIM,
                                        "worker-9",
                                        "first",
                                        true,
                                        fixture.listener))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("worker-9");
    }

    @Test
    void opensNothingOnAnotherProcessThanTheOwnerRecorded() {
        var links = fixture.start();
        fixture.awaitState(LinkState.CONNECTED);
        worker.incarnation("second");
        fixture.proxy.cut();
        await().until(() -> "second".equals(fixture.view().incarnation()));

        assertThatThrownBy(
                        () ->
                                links.open(
                                        LinkFixture.CLAIM,
                                        "worker-1",
                                        "first",
                                        true,
                                        fixture.listener))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("worker-1");
        links.open(LinkFixture.CLAIM, "worker-1", "second", true, fixture.listener);
        await().until(() -> fixture.listener.calls.contains("attached"));
    }

    @Test
    void opensAPartitionOnce() {
        fixture.attached();
        var links = fixture.links();

        assertThatThrownBy(
                        () ->
                                links.open(
                                        LinkFixture.CLAIM,
                                        "worker-1",
                                        "first",
                                        true,
                                        fixture.listener))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    @DisplayName("RES-25: a wrong token is refused, and the gateway says what to do")
    void saysThatTheTokenIsRefused() {
        fixture.start("wrong", ENOUGH, 1 << 20);

        awaitProblem("set link.token");
        assertThat(fixture.view().problem()).doesNotContain("wrong");
        assertThat(worker.requests).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("TEN-14: what listens in a worker's place and proves nothing learns no secret")
    void saysNothingToAnImpostor(Impostor.Trick trick) throws Exception {
        try (var impostor = new Impostor(0, trick)) {
            fixture.start(impostor.port(), FakeWorker.TOKEN, ENOUGH, 1 << 20);

            awaitProblem(
                    switch (trick) {
                        case PROVES_NOTHING, GUESSES -> "look which program listens there";
                        case ASKS_FOR_THE_TOKEN -> "update the worker";
                        case OPENS_AT_ONCE, REDIRECTS -> "no link server with a token";
                    });
            await().until(() -> fixture.count("perigee.link.attempts.failed") >= 3);

            assertThat(impostor.frames()).isEmpty();
            assertThat(impostor.received())
                    .contains("GET /link HTTP/1.1")
                    .doesNotContain(FakeWorker.TOKEN, "gateway-1", "elsewhere", "Bearer")
                    .doesNotContain(
                            Base64.getEncoder().encodeToString(FakeWorker.TOKEN.getBytes(UTF_8)));
            assertThat(fixture.view().state()).isEqualTo(LinkState.CONNECTING);
            assertThat(fixture.view().problem()).doesNotContain(FakeWorker.TOKEN);
            assertThat(fixture.heartbeats).isEmpty();
        }
    }

    @Test
    void refusesAWorkerWhoseRetentionIsTooShort() {
        worker.retention(Duration.ofMillis(999));
        fixture.start();

        awaitProblem("raise the worker's retention");
        assertThat(fixture.view().state()).isEqualTo(LinkState.CONNECTING);
    }

    @Test
    void saysWhyAWorkerRefusesHello() {
        worker.on(LinkMethod.HELLO, r -> FakeWorker.refuse(r, LinkError.INVALID_REQUEST));
        fixture.start();

        awaitProblem("no: INVALID_REQUEST");
    }

    @Test
    @DisplayName("DEP-08: a worker that does not negotiate gets the version that it compares")
    void connectsToAWorkerThatDoesNotNegotiate() {
        worker.on(
                LinkMethod.HELLO,
                request ->
                        Json.tree(request.params().bytes()).get("protocol").asInt() == 1
                                ? FakeWorker.answer(
                                        request,
                                        Map.of(
                                                "worker_id",
                                                "worker-1",
                                                "incarnation",
                                                "first",
                                                "retention_ms",
                                                30_000,
                                                "sessions",
                                                List.of()))
                                : FakeWorker.refuse(request, LinkError.INVALID_REQUEST));

        fixture.attached();

        assertThat(fixture.view().state()).isEqualTo(LinkState.CONNECTED);
    }

    @Test
    @DisplayName("DEP-08: a gateway says why it has no version in common with a worker")
    void saysThatThereIsNoCommonVersion() {
        var mismatch = LinkVersions.mismatch(LinkVersions.SPOKEN, new LinkVersions(8, 9));
        worker.on(
                LinkMethod.HELLO,
                r -> new LinkFrame.Failure(r.id(), LinkError.NO_COMMON_VERSION.code(), mismatch));
        fixture.start();

        awaitProblem("the gateway speaks 1 to 7, the worker 8 to 9: upgrade the gateway");
        assertThat(fixture.view().state()).isEqualTo(LinkState.CONNECTING);
    }

    @Test
    @DisplayName("DEP-08: a gateway refuses a version that it did not offer")
    void refusesAVersionThatItDoesNotSpeak() {
        worker.on(
                LinkMethod.HELLO,
                r ->
                        FakeWorker.answer(
                                r,
                                Map.of(
                                        "worker_id",
                                        "worker-1",
                                        "incarnation",
                                        "first",
                                        "retention_ms",
                                        30_000,
                                        "sessions",
                                        List.of(),
                                        "protocol",
                                        8)));
        fixture.start();

        awaitProblem("chose version 8 of the link, this gateway speaks 1 to 7");
    }

    @Test
    void survivesAHelloThatIsNotUnderstood() {
        worker.on(LinkMethod.HELLO, r -> FakeWorker.answer(r, List.of("what")));
        fixture.start();

        awaitProblem("not understood");
    }

    @Test
    @DisplayName("RES-09: already_attached is retried until the detach finishes")
    void retriesAnAttachWhileTheOldConnectionIsStillThere() {
        var refusals = new AtomicInteger(3);
        worker.on(
                LinkMethod.ATTACH,
                r ->
                        refusals.getAndDecrement() > 0
                                ? FakeWorker.refuse(r, LinkError.ALREADY_ATTACHED)
                                : FakeWorker.answer(r, FakeWorker.attached(true)));

        fixture.attached();

        assertThat(worker.received(LinkMethod.ATTACH)).hasSize(4);
        assertThat(fixture.listener.calls).containsExactly("attached");
    }

    @Test
    void tellsWhyASessionIsNotThere() {
        refusedWith(LinkError.SESSION_EXPIRED, "lost EXPIRED");
    }

    @Test
    void tellsThatTheWorkerIsLeaving() {
        refusedWith(LinkError.DRAINING, "lost DRAINING");
    }

    @Test
    void tellsThatAnotherOwnerIsNewer() {
        refusedWith(LinkError.FENCED, "fenced -1");
    }

    @Test
    void tellsThatTheWorkerRefuses() {
        refusedWith(LinkError.INVALID_PARAMS, "lost REFUSED");
    }

    private void refusedWith(LinkError error, String told) {
        worker.on(LinkMethod.ATTACH, r -> FakeWorker.refuse(r, error));
        var links = fixture.start();
        fixture.awaitState(LinkState.CONNECTED);
        var session = links.open(LinkFixture.CLAIM, "worker-1", "first", true, fixture.listener);

        await().until(() -> !fixture.listener.calls.isEmpty());

        assertThat(fixture.listener.calls).containsExactly(told);
        assertThatThrownBy(() -> session.execute(LinkFixture.order(1), LinkFixture.in(ENOUGH)))
                .isInstanceOf(LinkException.class);
        assertThat(fixture.view().state()).isEqualTo(LinkState.CONNECTED);
    }

    @Test
    void dialsAgainWhenAnAttachIsNotAnswered() {
        fixture.giveUpAfter(Duration.ofSeconds(4));
        var silent = new AtomicInteger(1);
        worker.on(
                LinkMethod.ATTACH,
                r ->
                        silent.getAndDecrement() > 0
                                ? null
                                : FakeWorker.answer(r, FakeWorker.attached(true)));

        fixture.attached();

        assertThat(worker.received(LinkMethod.HELLO)).hasSize(2);
    }
}
