package dev.perigee.worker.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Slots of tenants")
final class TenantSlotsTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final int MANY = 4_000;

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicInteger waiting = new AtomicInteger();
    private final TenantSlots slots = new TenantSlots(2);

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private static Tenant user(String team) {
        return new Tenant(team, "u");
    }

    private Future<TenantSlots.Slot> begin(String team, boolean own) {
        return begin(user(team), own);
    }

    private Future<TenantSlots.Slot> begin(Tenant user, boolean own) {
        return threads.submit(
                () ->
                        Objects.requireNonNull(
                                slots.acquire(user, own, LONG, waiting::incrementAndGet)));
    }

    private Future<TenantSlots.Slot> beginToWait(String team, boolean own) {
        return beginToWait(user(team), own);
    }

    private Future<TenantSlots.Slot> beginToWait(Tenant user, boolean own) {
        int before = waiting.get();
        var begun = begin(user, own);
        await().until(() -> waiting.get() == before + 1);
        return begun;
    }

    @Test
    @DisplayName("One team that waits for a mute registry holds up no other team")
    void areNeverOneTeamsAll() throws Exception {
        var _ = begin("a", true).get();
        var second = beginToWait("a", true);
        var third = beginToWait("a", false);

        begin("b", false).get().close();
        var _ = begin("b", false).get();

        assertThat(second).isNotDone();
        assertThat(third).isNotDone();
    }

    @Test
    @DisplayName("Registries of several users' own hold up nobody who uses the operator's")
    void areNeverAllForRegistriesOfUsers() throws Exception {
        var _ = begin("a", true).get();
        var own = beginToWait("b", true);

        begin("c", false).get().close();

        assertThat(own).isNotDone();
    }

    @Test
    @DisplayName("Teams take turns")
    void takeTurns() throws Exception {
        var first = begin("a", true).get();
        var second = beginToWait("a", true);
        var other = beginToWait("b", true);

        first.close();
        var served = other.get();
        assertThat(second).isNotDone();
        served.close();

        second.get().close();
    }

    @Test
    @DisplayName("One user's mute registry holds up no colleague who uses the operator's")
    void areNeverOneUsersAll() throws Exception {
        var _ = begin("a", true).get();
        for (int i = 0; i < 20; i++) {
            var _ = beginToWait("a", true);
        }
        begin(new Tenant("a", "colleague"), false).get().close();
    }

    @Test
    @DisplayName("Users of a team take turns")
    void takeTurnsInATeam() throws Exception {
        var first = begin("a", false).get();
        var second = beginToWait("a", false);
        var colleague = beginToWait(new Tenant("a", "colleague"), false);

        first.close();
        var served = colleague.get();
        assertThat(second).isNotDone();
        served.close();

        second.get().close();
    }

    @Test
    @DisplayName("Thousands that wait are served one after the other, each woken once")
    void wakeOnlyTheNext() throws Exception {
        var first = begin("a", false).get();
        var all = new ArrayList<Future<?>>();
        for (int i = 0; i < MANY; i++) {
            var user = new Tenant("a", "u" + i);
            all.add(threads.submit(() -> served(user)));
        }
        await().atMost(LONG).until(() -> waiting.get() == MANY);

        first.close();
        long deadline = System.nanoTime() + LONG.toNanos();
        for (var each : all) {
            each.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        }
    }

    private void served(Tenant user) {
        try (var slot =
                slots.acquire(user, false, LONG.multipliedBy(2), waiting::incrementAndGet)) {
            assertThat(slot).isNotNull();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @DisplayName("One that is given up or interrupted is nobody's, and the next is served")
    void areNotLostWithWhoWaits() throws Exception {
        var first = begin("a", true).get();
        var interrupted = beginToWait("a", true);
        var next = beginToWait(new Tenant("a", "colleague"), true);

        interrupted.cancel(true);
        first.close();

        next.get().close();
        begin("b", true).get().close();
        begin("a", true).get().close();
    }

    @Test
    void endAtTheirLimitAndAreGivenBackOnce() throws Exception {
        var one = new TenantSlots(1);
        var held = Objects.requireNonNull(one.acquire(user("a"), true, LONG, () -> {}));
        assertThat(one.acquire(user("b"), true, Duration.ofMillis(1), () -> {})).isNull();
        held.close();
        held.close();
        assertThat(one.acquire(user("b"), true, Duration.ZERO, () -> {})).isNotNull();
        assertThat(one.acquire(user("a"), false, Duration.ZERO, () -> {})).isNull();
    }
}
