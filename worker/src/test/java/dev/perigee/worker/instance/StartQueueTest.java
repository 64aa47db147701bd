package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.worker.instance.StartQueue.Owner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class StartQueueTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final Duration HOLD = Duration.ofSeconds(3);
    private static final int SLOTS = 4;

    /** Waiting starts of one owner, of which the next ones make no difference to another's. */
    private static final int FLOOD = 60;

    private long now;
    private final List<One> waiting = new ArrayList<>();
    private final List<One> begun = new ArrayList<>();
    private StartQueue<One> queue = new StartQueue<>(SLOTS, HOLD);

    private static final class One extends StartQueue.Start {
        final long entered;
        long began = -1;
        boolean left;

        One(Owner owner, boolean awaited, long entered) {
            super(owner, () -> awaited);
            this.entered = entered;
        }

        String team() {
            return owner.team();
        }

        boolean isYoung(long now, long age) {
            return !left && now - began < age;
        }

        @Override
        public String toString() {
            return owner + " entered at " + entered;
        }
    }

    @Test
    @DisplayName("one owner alone has all slots, in the order in which its starts came")
    void alone() {
        var all = enter("t1", "u1", 6);

        assertThat(look()).containsExactlyElementsOf(all.subList(0, SLOTS));
        now += 3 * SECOND - 1;
        assertThat(look()).isEmpty();
        now++;
        assertThat(look()).containsExactlyElementsOf(all.subList(SLOTS, 6));
    }

    @Test
    @DisplayName("what ended gives its slot back at once")
    void ends() {
        var all = enter("t1", "u1", 5);
        look();

        leave(all.get(2));

        assertThat(look()).containsExactly(all.get(4));
    }

    @Test
    @DisplayName("after a third of its time a slot is another's, if that one has two starts less")
    void yields() {
        enter("t1", "u1", 10);
        look();
        var other = enter("t2", "u2", 6);

        now += SECOND - 1;
        assertThat(look()).isEmpty();
        now++;
        assertThat(look()).as("four to two, with those that yielded").hasSize(3);
        assertThat(begun).last().isEqualTo(other.get(2));
        now += SECOND;
        assertThat(look()).isEmpty();
    }

    @Test
    @DisplayName("users of one team are as fair to each other as teams are")
    void yieldsInTeam() {
        enter("t1", "u1", 10);
        look();
        var other = enter("t1", "u2", 1);

        now += SECOND;

        assertThat(look()).isEqualTo(other);
    }

    @Test
    @DisplayName("teams take turns, and in a team its users")
    void turns() {
        queue = new StartQueue<>(1, HOLD);
        for (var owner : List.of("a/1", "a/1", "a/2", "a/2", "b/1", "b/1")) {
            enter(owner.substring(0, 1), owner.substring(2), 1);
        }

        assertThat(inTurn(6))
                .extracting(one -> one.team() + "/" + one.owner.user())
                .containsExactly("a/1", "b/1", "a/2", "b/1", "a/1", "a/2");
    }

    @Test
    @DisplayName("a start that a call waits for goes first, whenever the call came")
    void callsFirst() {
        enter("t1", "u1", 50);
        enter("t2", "u2", 50);
        var awaited = enter(new One(new Owner("t1", "u1"), true, now));

        assertThat(look()).hasSize(SLOTS).first().isEqualTo(awaited);
    }

    @Test
    @DisplayName("however many starts calls wait for, the others have a turn")
    void callsAreNotAll() {
        queue = new StartQueue<>(1, HOLD);
        for (int i = 0; i < 50; i++) {
            enter(new One(new Owner("t1", "u1"), true, now));
        }
        enter("t1", "u1", 2);
        enter("t2", "u2", 2);

        assertThat(inTurn(16)).filteredOn(one -> one.team().equals("t2")).hasSize(2);
        assertThat(waiting).hasSize(38);
    }

    @Test
    @DisplayName("whatever one user starts, another waits for a third of a slot's time at most")
    void delaysNobody() {
        for (long seed = 1; seed <= 200; seed++) {
            var random = new Random(seed);
            reset(2 + random.nextInt(7));
            var other = new Owner(random.nextBoolean() ? "t1" : "t2", "other");
            for (int step = 0; step < 300; step++) {
                for (int i = random.nextInt(5); i > 0 && waiting.size() < FLOOD; i--) {
                    enter(new One(new Owner("t1", "flood"), random.nextBoolean(), now));
                }
                if (random.nextInt(10) == 0 && waiting.stream().noneMatch(isOf(other))) {
                    enter(new One(other, false, now));
                }
                look();
                begun.stream().filter(isOf(other)).toList().forEach(this::leave);
                now += random.nextLong(SECOND / 10);
                var late =
                        waiting.stream()
                                .filter(isOf(other))
                                .filter(one -> now - one.entered > SECOND + SECOND / 10);
                assertThat(late).as("seed %d", seed).isEmpty();
                begun.removeIf(this::isOver);
            }
        }
    }

    private static Predicate<One> isOf(Owner owner) {
        return one -> one.owner.equals(owner);
    }

    @Test
    @DisplayName(
            "from any seed: slots are kept to, the poorest goes first, and all begin in the end")
    void model() {
        for (long seed = 1; seed <= 200; seed++) {
            var random = new Random(seed);
            int slots = 1 + random.nextInt(6);
            reset(slots);
            for (int step = 0; step < 500; step++) {
                step(random);
                check(slots, seed);
                begun.removeIf(this::isOver);
            }
            long limit = now + (waiting.size() + 1) * HOLD.toNanos();
            while (!waiting.isEmpty() && now < limit) {
                now += SECOND / 4;
                check(slots, seed);
            }
            assertThat(waiting).as("seed %d: never began", seed).isEmpty();
        }
    }

    private void step(Random random) {
        switch (random.nextInt(4)) {
            case 0, 1 -> {
                var owner = new Owner("t" + random.nextInt(3), "u" + random.nextInt(2));
                enter(new One(owner, random.nextInt(4) == 0, now));
            }
            case 2 -> {
                var all = random.nextBoolean() ? begun : waiting;
                if (!all.isEmpty()) {
                    leave(all.get(random.nextInt(all.size())));
                }
            }
            default -> now += random.nextLong(SECOND);
        }
    }

    private void check(int slots, long seed) {
        One next;
        while ((next = queue.next(now)) != null) {
            var beginning = next;
            assertThat(waiting).as("seed %d", seed).contains(beginning);
            long load = load(beginning);
            assertThat(waiting.stream().filter(one -> load - load(one) >= 2).findFirst())
                    .as("seed %d: poorer than %s", seed, beginning)
                    .isEmpty();
            began(beginning);
            assertThat(young(HOLD.toNanos() / 3)).as("seed %d", seed).isLessThanOrEqualTo(slots);
            assertThat(young(HOLD.toNanos())).as("seed %d", seed).isLessThanOrEqualTo(3L * slots);
        }
        assertThat(young(HOLD.toNanos()) >= slots || waiting.isEmpty())
                .as("seed %d: a slot is free and somebody waits", seed)
                .isTrue();
    }

    private boolean isOver(One one) {
        return one.left || !one.isYoung(now, HOLD.toNanos());
    }

    private long load(One one) {
        return begun.stream()
                .filter(it -> it.team().equals(one.team()) && it.isYoung(now, HOLD.toNanos()))
                .count();
    }

    private long young(long age) {
        return begun.stream().filter(one -> one.isYoung(now, age)).count();
    }

    private void reset(int slots) {
        queue = new StartQueue<>(slots, HOLD);
        waiting.clear();
        begun.clear();
    }

    private List<One> enter(String team, String user, int count) {
        var all = new ArrayList<One>();
        for (int i = 0; i < count; i++) {
            all.add(enter(new One(new Owner(team, user), false, now)));
        }
        return all;
    }

    private One enter(One one) {
        waiting.add(one);
        queue.enter(one);
        return one;
    }

    private void leave(One one) {
        one.left = true;
        waiting.remove(one);
        queue.leave(one);
    }

    private List<One> look() {
        var all = new ArrayList<One>();
        One next;
        while ((next = queue.next(now)) != null) {
            began(next);
            all.add(next);
        }
        return all;
    }

    private void began(One one) {
        one.began = now;
        waiting.remove(one);
        begun.add(one);
    }

    /** Each ends before the next one begins. */
    private List<One> inTurn(int count) {
        var all = new ArrayList<One>();
        while (all.size() < count) {
            var came = look();
            assertThat(came).hasSize(1);
            came.forEach(this::leave);
            all.addAll(came);
        }
        return all;
    }
}
