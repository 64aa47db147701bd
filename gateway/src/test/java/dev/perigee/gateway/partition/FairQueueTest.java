package dev.perigee.gateway.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.limit.RateLimit;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FairQueueTest {
    private static final int CONCURRENCY = 3;
    private static final int QUEUE = 5;
    private static final int ROOM = 20;
    private static final int BYTES = 1000;

    private Instant now = Instant.parse("2026-11-20T10:00:00Z");
    private long nextOffset;
    private FairQueue queue = queue(RateLimit.NONE);

    @Test
    void sendsEachUsersRequestsInTheOrderOfTheirRecords() {
        var first = call("a");
        var second = call("a");
        var third = call("a");
        admitted(third);
        admitted(first);
        admitted(second);

        assertThat(taken()).containsExactly(first, second, third);
    }

    @Test
    void letsUsersTakeTurns() {
        for (var user : List.of("a", "a", "a", "b", "b", "c")) {
            admitted(user);
        }

        assertThat(taken())
                .extracting(ToolCall::user)
                .containsExactly("t/a", "t/b", "t/c", "t/a", "t/b", "t/a");
    }

    @Test
    void sendsNoMoreThanAUserMayHaveAtTheWorker() {
        for (int i = 0; i < CONCURRENCY + QUEUE; i++) {
            admitted("a");
        }
        var sent = taken();
        assertThat(sent).hasSize(CONCURRENCY);
        var other = admitted("b");
        assertThat(taken()).containsExactly(other);

        queue.ended(sent.getFirst());
        assertThat(taken()).hasSize(1);
    }

    @Test
    void refusesASurplusWhenItComesAndNobodyElse() {
        for (int i = 0; i < CONCURRENCY + QUEUE; i++) {
            admitted("a");
        }
        assertThat(queue.admit(call("a"))).isEqualTo(OwnAnswer.QUEUE_FULL);
        admitted("b");

        queue.ended(taken().getFirst());
        admitted("a");
        assertThat(queue.admit(call("a"))).isEqualTo(OwnAnswer.QUEUE_FULL);
    }

    @Test
    @DisplayName("CAL-04: calls that wait for responses do not hold these up")
    void sendsResponsesBesides() {
        for (int i = 0; i < CONCURRENCY + QUEUE; i++) {
            admitted("a");
        }
        taken();

        var responses = new ArrayList<ToolCall>();
        for (int i = 0; i < CONCURRENCY; i++) {
            responses.add(admitted(response("a")));
        }
        assertThat(taken()).containsExactlyElementsOf(responses);

        while (queue.admit(response("a")) == null) {
            assertThat(queue.users()).isEqualTo(2);
        }
        assertThat(taken()).isEmpty();
        admitted("b");
    }

    private ToolCall response(String user) {
        long offset = nextOffset++;
        var request =
                ToolRequest.respond(
                        "r" + offset,
                        new RecordKey("t", user),
                        "r0",
                        "i",
                        RawJson.EMPTY_OBJECT,
                        null);
        var deadline = now.plus(Duration.ofSeconds(30));
        return new ToolCall(
                new RequestRead(
                        new RecordOrigin("requests", 0, offset),
                        request,
                        ToolMethod.CALL_RESPOND,
                        null,
                        now,
                        deadline,
                        deadline,
                        null,
                        null),
                "group");
    }

    @Test
    void givesThoseWithManyLessWhenThereAreManyOfThem() {
        var admitted = new HashMap<String, Integer>();
        for (int i = 0; i < 50; i++) {
            for (var user : List.of("a", "b", "c", "d")) {
                if (queue.admit(call(user)) == null) {
                    admitted.merge(user, 1, Integer::sum);
                }
            }
        }
        assertThat(admitted.values()).allMatch(count -> count >= CONCURRENCY);
        assertThat(admitted.values().stream().mapToInt(Integer::intValue).sum())
                .isBetween(ROOM / 2, ROOM);
        for (int i = 0; i < CONCURRENCY; i++) {
            admitted("newcomer");
        }
    }

    @Test
    void boundsBytesButTakesOneThatIsLarge() {
        var large = call("a", 5 * BYTES);
        assertThat(queue.admit(large)).isNull();
        assertThat(queue.admit(call("a", 10))).isEqualTo(OwnAnswer.BYTES_FULL);
        assertThat(queue.admit(call("b", BYTES))).isNull();
        queue.ended(large);
        assertThat(queue.admit(call("a", 10))).isNull();
    }

    @Test
    void forgetsACallThatEndsBeforeItsTurn() {
        var cancelled = admitted("a");
        var other = admitted("a");
        queue.ended(cancelled);

        assertThat(taken()).containsExactly(other);
    }

    @Test
    void countsWhatTheWorkerHasAlready() {
        var running = new ArrayList<ToolCall>();
        for (int i = 0; i < CONCURRENCY; i++) {
            running.add(call("a"));
            queue.adopt(running.getLast());
        }
        var waiting = admitted("a");
        assertThat(taken()).isEmpty();
        queue.ended(running.getFirst());
        assertThat(taken()).containsExactly(waiting);
    }

    @Test
    void sendsAgainWhatNeverRanBeforeWhatCameLater() {
        var first = admitted("a");
        assertThat(taken()).containsExactly(first);
        var second = admitted("a");
        queue.ready(first);

        assertThat(taken()).containsExactly(first, second);
    }

    @Test
    void keepsTheRateOfEachUser() {
        queue = queue(new RateLimit(10, 2));
        for (int i = 0; i < 5; i++) {
            admitted("a");
        }
        assertThat(ended(taken())).hasSize(2);
        assertThat(queue.due()).isEqualTo(now.plusMillis(100));
        assertThat(admitted("b")).isEqualTo(queue.next());

        now = now.plusMillis(100);
        assertThat(ended(taken())).extracting(ToolCall::user).containsExactly("t/a");
        assertThat(queue.due()).isEqualTo(now.plusMillis(100));
    }

    @Test
    void refusesAtOnceWhatTheRateWouldMakeLate() {
        queue = queue(new RateLimit(0.05, 1));
        admitted("a");
        assertThat(queue.admit(call("a"))).isNull();
        assertThat(queue.admit(call("a"))).isEqualTo(OwnAnswer.TOO_OFTEN);
    }

    @Test
    void forgetsUsersThatAreGone() {
        queue = queue(new RateLimit(1000, 1));
        for (int i = 0; i < 10_000; i++) {
            ended(List.of(admitted("u" + i)));
            now = now.plusMillis(1);
        }
        assertThat(queue.users()).isLessThan(200);
    }

    /** Whatever happens: nobody is passed over for longer than all others have a turn each. */
    @Test
    void isFairWhateverHappens() {
        for (long seed = 1; seed <= 50; seed++) {
            queue = queue(RateLimit.NONE);
            runRandomly(new Random(seed), "seed " + seed);
        }
    }

    private void runRandomly(Random random, String seed) {
        int users = 4;
        Map<String, List<ToolCall>> sent = new HashMap<>();
        Map<String, Integer> passedOver = new HashMap<>();
        Map<String, List<ToolCall>> waiting = new HashMap<>();
        for (int step = 0; step < 2_000; step++) {
            // The first user floods; the others ask now and then.
            int who = random.nextInt(10) < 7 ? 0 : random.nextInt(users);
            var call = call("u" + who);
            if (queue.admit(call) == null) {
                queue.ready(call);
                waiting.computeIfAbsent(call.user(), _ -> new ArrayList<>()).add(call);
            }
            if (random.nextBoolean()) {
                var next = queue.next();
                if (next != null) {
                    var its = waiting.getOrDefault(next.user(), new ArrayList<>());
                    assertThat(its.removeFirst()).as(seed).isEqualTo(next);
                    sent.computeIfAbsent(next.user(), _ -> new ArrayList<>()).add(next);
                    assertThat(sent.get(next.user()))
                            .as(seed)
                            .hasSizeLessThanOrEqualTo(CONCURRENCY);
                    passedOver.remove(next.user());
                    waiting.forEach(
                            (user, calls) -> {
                                boolean could =
                                        !calls.isEmpty()
                                                && sent.getOrDefault(user, List.of()).size()
                                                        < CONCURRENCY;
                                if (could && !user.equals(next.user())) {
                                    passedOver.merge(user, 1, Integer::sum);
                                }
                            });
                    assertThat(passedOver.values()).as(seed).allMatch(times -> times < users);
                }
            }
            var running = sent.values().stream().filter(its -> !its.isEmpty()).toList();
            if (random.nextBoolean() && !running.isEmpty()) {
                queue.ended(running.get(random.nextInt(running.size())).removeFirst());
            }
        }
    }

    private FairQueue queue(RateLimit rate) {
        return new FairQueue(
                new UserLimits(CONCURRENCY, QUEUE, BYTES, rate, ROOM),
                new OpenArguments(ByteBudget.of(1 << 30)),
                () -> now);
    }

    private List<ToolCall> taken() {
        var all = new ArrayList<ToolCall>();
        for (var call = queue.next(); call != null; call = queue.next()) {
            all.add(call);
        }
        return all;
    }

    private List<ToolCall> ended(List<ToolCall> calls) {
        calls.forEach(queue::ended);
        return calls;
    }

    private ToolCall admitted(String user) {
        return admitted(call(user));
    }

    private ToolCall admitted(ToolCall call) {
        assertThat(queue.admit(call)).isNull();
        queue.ready(call);
        return call;
    }

    private ToolCall call(String user) {
        return call(user, 2);
    }

    private ToolCall call(String user, int bytes) {
        long offset = nextOffset++;
        var arguments =
                bytes == 2
                        ? RawJson.EMPTY_OBJECT
                        : Json.raw(Map.of("x", "x".repeat(Math.max(0, bytes - 8))));
        return new ToolCall(
                new RequestRead(
                        new RecordOrigin("requests", 0, offset),
                        ToolRequest.call("r" + offset, "t", user, "s:echo", arguments, null),
                        ToolMethod.TOOLS_CALL,
                        ToolPath.parse("s:echo"),
                        now,
                        now.plus(Duration.ofSeconds(30)),
                        now.plus(Duration.ofSeconds(30)),
                        null,
                        null),
                "group");
    }
}
