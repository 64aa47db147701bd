package dev.perigee.worker.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.link.LinkError;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The pure parts of a session against a model, under virtual time: one process speaks, gateways
 * attach, are cut off with and without notice, take over, acknowledge and come late, in 10,000
 * random steps a seed.
 */
final class SessionModelTest {
    private static final int STEPS = 10_000;
    private static final Duration RETENTION = Duration.ofSeconds(30);

    private final SessionRun session = new SessionRun(RETENTION);
    private final ByteBudget budget = ByteBudget.of(1 << 20);
    private Journal journal = journal();
    private Instant now = Instant.EPOCH;

    /** The connection that the worker believes in, and how far it was fed. */
    private @Nullable Wire attached;

    private long fed;

    /** The gateway's own view: its claim, its connection if it is not cut, what it has. */
    private Claimant claim = SessionRun.claimant("g-0", 1, 0);

    private @Nullable Wire wire;
    private long has;

    private @Nullable Instant detachedAt;
    private final List<Long> published = new ArrayList<>();
    private int sessionsLost;
    private int resumes;
    private int refusals;

    /** A connection: what was sent and has not arrived yet. */
    private record Wire(Claimant claimant, ArrayDeque<Long> underWay) {}

    private Journal journal() {
        return new Journal(new Journal.Limits(4_000, 100, 1_000, WhenFull.PAUSE), budget);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 20261121, 4711})
    @DisplayName("RES-24, RES-05, RES-06, RES-07, RES-09: every session delivers 1 to n, each once")
    void deliversOnceAndInOrder(long seed) {
        var random = new SplittableRandom(seed);
        for (int step = 0; step < STEPS; step++) {
            step(random);
        }
        reattach(0);
        while (deliverAll()) {
            publish();
        }
        publish();
        assertThat(published).as("seed %d", seed).isEqualTo(numbers(journal.nextSeq() - 1));
        assertThat(List.of(sessionsLost, resumes, refusals))
                .as("seed %d: each case was met", seed)
                .allMatch(times -> times > 5);
    }

    private void step(SplittableRandom random) {
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> speak(random);
            case 3, 4 -> feed();
            case 5, 6 -> deliver();
            case 7 -> publish();
            case 8 -> cut(random.nextBoolean());
            case 9 -> reattach(random.nextInt(4) == 0 ? 1 : 0);
            case 10 -> comeLate();
            case 11 -> pass(random);
            default -> throw new IllegalStateException();
        }
    }

    private void speak(SplittableRandom random) {
        if (!journal.full()) {
            journal.append(_ -> new byte[random.nextInt(1, 1_500)], null);
        }
    }

    private void feed() {
        var next = journal.after(fed);
        if (attached != null && next != null) {
            fed = next.seq();
            attached.underWay().add(next.seq());
        }
    }

    private void deliver() {
        var seq = wire == null ? null : wire.underWay().poll();
        if (seq != null) {
            assertThat(seq).as("no hole, no repeat on a connection").isEqualTo(has + 1);
            has = seq;
        }
    }

    private boolean deliverAll() {
        long before = has;
        feed();
        deliver();
        return has > before;
    }

    /** Kafka has it, and the worker is told, if it can be. */
    private void publish() {
        for (long seq = published.size() + 1L; seq <= has; seq++) {
            published.add(seq);
        }
        if (wire != null && wire.equals(attached)) {
            journal.acknowledge(has, (_, _) -> new byte[10]);
        }
    }

    /** What was under way is gone; the worker may notice now, or when it is too late. */
    private void cut(boolean noticed) {
        if (wire != null) {
            wire.underWay().clear();
            if (noticed) {
                detach(wire);
            }
            wire = null;
        }
    }

    /** As the session's owner does: only the attached connection can detach. */
    private void detach(Wire by) {
        if (by.equals(attached)) {
            attached = null;
            session.detach(now);
            detachedAt = now;
        }
    }

    private void reattach(int epochs) {
        var old = wire;
        cut(false);
        var next =
                SessionRun.claimant(
                        epochs > 0 ? "g-" + (claim.epoch() + epochs) : claim.peer().gatewayId(),
                        claim.epoch() + epochs,
                        claim.generation() + 1);
        claim = next;
        if (epochs > 0) {
            has = 0; // Another gateway: it has nothing, and what is published stays.
        }
        boolean due = detachedAt != null && !now.isBefore(detachedAt.plus(RETENTION));
        boolean expired = session.expire(now);
        assertThat(expired).as("the deadline decides").isEqualTo(due);
        var step = session.attach(next, false, null, now);
        if (step.does(SessionAction.RESUME)) {
            resumed(next);
        } else {
            assertThat(SessionRun.refusal(step)).isEqualTo(LinkError.SESSION_EXPIRED);
            create(next);
        }
        if (old != null) {
            detach(old); // The late close of the old connection.
            assertThat(session.attached()).isEqualTo(claim);
        }
    }

    private void resumed(Claimant by) {
        resumes++;
        attach(by);
        // A gateway without a cursor is given what is not acknowledged.
        if (has == 0) {
            has = journal.firstRetainedSeq() - 1;
            assertThat(has)
                    .as("only what is public is forgotten")
                    .isBetween(0L, (long) published.size());
        }
        fed = journal.resumeAfter(has);
    }

    /** The session was lost: a fresh claim begins with a journal of its own. */
    private void create(Claimant by) {
        sessionsLost++;
        var fresh = SessionRun.claimant("g-" + (by.epoch() + 1), by.epoch() + 1, by.generation());
        claim = fresh;
        assertThat(session.attach(fresh, true, null, now).does(SessionAction.CREATE)).isTrue();
        assertThat(published).isEqualTo(numbers(published.size()));
        published.clear();
        journal.clear();
        journal = journal();
        fed = 0;
        has = 0;
        attach(fresh);
    }

    private void attach(Claimant by) {
        wire = new Wire(by, new ArrayDeque<>());
        attached = wire;
        detachedAt = null;
    }

    /** A gateway that was replaced, and an attempt of the owner that was overtaken. */
    private void comeLate() {
        var before = session.attached();
        if (before == null) {
            return;
        }
        refusals++;
        assertThat(refusal(SessionRun.claimant("g-stale", before.epoch() - 1, 99)))
                .isEqualTo(LinkError.FENCED);
        assertThat(refusal(before)).isEqualTo(LinkError.ALREADY_ATTACHED);
        assertThat(session.attached()).isEqualTo(before);
    }

    private @Nullable LinkError refusal(Claimant claimant) {
        return SessionRun.refusal(session.attach(claimant, false, null, now));
    }

    /** Time passes; a timer may run, be it an old one. */
    private void pass(SplittableRandom random) {
        now = now.plus(Duration.ofMillis(random.nextInt(25_000)));
        if (random.nextBoolean() && session.expire(now)) {
            assertThat(Objects.requireNonNull(detachedAt).plus(RETENTION)).isBeforeOrEqualTo(now);
            detachedAt = null;
        }
    }

    private static List<Long> numbers(long last) {
        return LongStream.rangeClosed(1, last).boxed().toList();
    }
}
