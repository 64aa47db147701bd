package dev.perigee.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.perigee.gateway.link.LinkException.Reason;
import dev.perigee.protocol.link.LinkError;
import dev.perigee.protocol.link.LinkFrame;
import dev.perigee.protocol.link.LinkMethod;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When a link does not come back, or the session behind it is gone. */
final class LinkLossTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final @Nullable LinkFrame SILENCE = null;

    @AutoClose private final LinkFixture fixture;
    private final FakeWorker worker;
    private final RecordingSessionListener listener;

    LinkLossTest() throws Exception {
        fixture = new LinkFixture();
        worker = fixture.worker;
        listener = fixture.listener;
    }

    private void awaitAttached(int times) {
        await().until(() -> listener.calls.stream().filter("attached"::equals).count() == times);
    }

    @Test
    @DisplayName("RES-04: after the deadline the link fails once and releases every waiter")
    void failsAtTheDeadline() throws Exception {
        worker.retention(Duration.ofMillis(6_500)); // 1.5 s after the margin
        worker.on(LinkMethod.EXECUTE, r -> SILENCE);
        var session = fixture.attached();
        var sent = failing(session, 1);
        await().until(() -> worker.received(LinkMethod.EXECUTE).size() == 1);
        fixture.proxy.refuse();
        fixture.proxy.cut();
        await().until(() -> listener.calls.contains("suspended"));
        var unsent = failing(session, 2);

        fixture.awaitState(LinkState.FAILED);

        assertThat(sent.get().mayHaveRun()).isTrue();
        assertThat(unsent.get().mayHaveRun()).isFalse();
        for (var failure : List.of(sent.get(), unsent.get())) {
            assertThat(failure.reason()).isEqualTo(Reason.LOST);
            assertThat(failure.failure()).isEqualTo(LinkFailure.UNREACHABLE);
            assertThat(failure).hasMessage("The worker could not be reached in time");
        }
        await().until(() -> listener.calls.contains("lost UNREACHABLE"));
        assertThat(listener.calls).containsExactly("attached", "suspended", "lost UNREACHABLE");
        assertThat(fixture.view().goneSince()).isNotNull();

        fixture.proxy.heal();
        fixture.awaitState(LinkState.CONNECTED);
        fixture.links().open(new PartitionClaim(3, 55), "worker-1", "first", true, listener);
        awaitAttached(2);
    }

    private Future<LinkException> failing(PartitionLink session, long offset) {
        return fixture.callers.submit(
                () ->
                        catchThrowableOfType(
                                LinkException.class,
                                () ->
                                        session.execute(
                                                LinkFixture.order(offset), LinkFixture.in(LONG))));
    }

    @Test
    void aSessionThatIsNotAttachedByTheDeadlineIsLostAloneAndTheLinkLives() {
        worker.retention(Duration.ofSeconds(10)); // 5 s after the margin
        fixture.attached();
        var other = new RecordingSessionListener();
        fixture.links().open(new PartitionClaim(4, 41), "worker-1", "first", true, other);
        await().until(() -> other.calls.contains("attached"));
        worker.on(
                LinkMethod.ATTACH,
                r ->
                        r.params().text().contains("\"partition\":4")
                                ? FakeWorker.refuse(r, LinkError.ALREADY_ATTACHED)
                                : FakeWorker.answer(r, FakeWorker.attached(true)));

        fixture.proxy.cut();

        await().until(() -> other.calls.contains("lost UNREACHABLE"));
        fixture.awaitState(LinkState.CONNECTED);
        assertThat(listener.calls).containsExactly("attached", "suspended", "attached");
    }

    @Test
    @DisplayName("RES-19: a new incarnation ends the sessions of the old one at once")
    void aRestartedWorkerLosesItsSessionsAtOnce() throws Exception {
        worker.on(LinkMethod.EXECUTE, r -> SILENCE);
        var session = fixture.attached();
        var waiting = failing(session, 1);
        await().until(() -> worker.received(LinkMethod.EXECUTE).size() == 1);

        worker.incarnation("second");
        fixture.proxy.cut();

        assertThat(waiting.get().failure()).isEqualTo(LinkFailure.INCARNATION_CHANGED);
        assertThat(waiting.get().mayHaveRun()).isTrue();
        await().until(() -> listener.calls.contains("lost INCARNATION_CHANGED"));
        fixture.awaitState(LinkState.CONNECTED);
        assertThat(fixture.view().incarnation()).isEqualTo("second");
        assertThat(worker.received(LinkMethod.ATTACH)).hasSize(1);
    }

    @Test
    @DisplayName("RES-05: a session that expired meanwhile is told so")
    void anExpiredSessionIsLost() {
        fixture.attached();
        worker.on(LinkMethod.ATTACH, r -> FakeWorker.refuse(r, LinkError.SESSION_EXPIRED));

        fixture.proxy.cut();

        await().until(() -> listener.calls.contains("lost EXPIRED"));
        fixture.awaitState(LinkState.CONNECTED);
    }

    @Test
    void aPermanentRefusalDuringRecoveryFailsTheLink() {
        fixture.attached();
        worker.on(LinkMethod.HELLO, r -> FakeWorker.refuse(r, LinkError.INVALID_REQUEST));

        fixture.proxy.cut();

        await().until(() -> listener.calls.contains("lost UNREACHABLE"));
        assertThat(fixture.view().state()).isEqualTo(LinkState.FAILED);
    }

    @Test
    void stoppingReleasesTheWaitersAndSaysNothing() throws Exception {
        worker.on(LinkMethod.EXECUTE, r -> SILENCE);
        var session = fixture.attached();
        var waiting = failing(session, 1);
        await().until(() -> worker.received(LinkMethod.EXECUTE).size() == 1);

        fixture.links().close();

        assertThat(waiting.get().reason()).isEqualTo(Reason.DETACHED);
        assertThat(worker.received(LinkMethod.DETACH)).isEmpty();
        assertThat(listener.calls).doesNotContain("lost UNREACHABLE");
    }
}
