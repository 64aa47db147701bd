package dev.perigee.gateway.quarantine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What answers for the death of workers")
final class QuarantineRulesTest {
    private static final Instant START = Instant.parse("2026-11-24T10:00:00Z");
    private static final Ran LONG = new Ran(Duration.ofHours(3), false);
    private static final Ran SHORT = new Ran(Duration.ofSeconds(10), false);
    private static final Ran ORDERED = new Ran(Duration.ofSeconds(10), true);

    private final Map<String, Suspicion> known = new HashMap<>();
    private QuarantineRules rules = rules(2);
    private Instant now = START;

    private static QuarantineRules rules(int deaths) {
        return new QuarantineRules(
                new QuarantineLimits(
                        deaths,
                        Duration.ofHours(1),
                        Duration.ofSeconds(20),
                        Duration.ofMinutes(1)));
    }

    private void dies(String worker, @Nullable String onTrial, Map<String, Ran> ran) {
        apply(rules.afterDeath(known, ran, onTrial, worker, worker + "/1", now));
    }

    private void apply(Map<String, Suspicion> changes) {
        changes.forEach(
                (id, next) -> {
                    if (next.isNone()) {
                        known.remove(id);
                    } else {
                        known.put(id, next);
                    }
                });
    }

    private Suspicion of(String id) {
        return Objects.requireNonNull(known.get(id));
    }

    private Standing standing(String id) {
        return rules.standing(known.get(id), now);
    }

    private void later(Duration time) {
        now = now.plus(time);
    }

    @Test
    @DisplayName("TEN-10: one death quarantines nobody, two do")
    void twoDeaths() {
        dies("w1", null, Map.of("a", LONG, "b", LONG));
        assertThat(standing("a")).isEqualTo(new Standing.Free());
        later(Duration.ofMinutes(10));
        dies("w2", null, Map.of("a", LONG, "c", LONG));

        assertThat(standing("a")).isInstanceOf(Standing.Waits.class);
        assertThat(((Standing.Waits) standing("a")).from()).isBeforeOrEqualTo(now);
        assertThat(((Standing.Waits) standing("a")).message())
                .isEqualTo(
                        "Quarantined: it was running when 2 workers died, the last at"
                                + " 2026-11-24T10:10:00Z. It starts alone when its turn comes. A"
                                + " restart or another configuration does not change that");
        assertThat(standing("b")).isEqualTo(new Standing.Free());
        assertThat(standing("c")).isEqualTo(new Standing.Free());
    }

    @Test
    @DisplayName("two deaths of one worker count as two")
    void oneWorkerTwice() {
        dies("w1", null, Map.of("a", LONG));
        dies("w1", null, Map.of("a", LONG));
        assertThat(standing("a")).isInstanceOf(Standing.Waits.class);
    }

    @Test
    @DisplayName("a death counts for an hour")
    void forgets() {
        dies("w1", null, Map.of("a", LONG));
        later(Duration.ofMinutes(59));
        assertThat(rules.afterTime(known, now)).isEmpty();
        later(Duration.ofMinutes(1));
        assertThat(rules.afterTime(known, now)).containsExactly(Map.entry("a", Suspicion.NONE));
        dies("w2", null, Map.of("a", LONG));
        assertThat(standing("a")).isEqualTo(new Standing.Free());
        assertThat(of("a").deaths()).hasSize(1);
    }

    @Test
    @DisplayName("what ran alone goes on, waits no second time for it, and is forgotten")
    void passes() {
        dies("w1", null, Map.of("a", LONG));
        dies("w2", null, Map.of("a", LONG));
        known.put("a", rules.afterTrial(of("a"), now));

        assertThat(standing("a")).isEqualTo(new Standing.Free());
        later(Duration.ofHours(1));
        apply(rules.afterTime(known, now));
        assertThat(known).isEmpty();
    }

    @Test
    @DisplayName("what waits is not forgotten by time: it is tried first")
    void waitsForItsTurn() {
        dies("w1", null, Map.of("a", LONG));
        dies("w2", null, Map.of("a", LONG));
        later(Duration.ofHours(5));
        assertThat(rules.afterTime(known, now)).isEmpty();
        assertThat(standing("a")).isInstanceOf(Standing.Waits.class);
    }

    @Test
    @DisplayName(
            "TEN-10: what was on trial when a worker died is held; others that did not run are"
                    + " free, those that ran are tried again, and nobody else is counted")
    void convicts() {
        var all = Map.of("culprit", LONG, "tried", LONG, "waiting", LONG);
        dies("w1", null, all);
        dies("w2", null, all);
        known.put("tried", rules.afterTrial(of("tried"), now));
        later(Duration.ofMinutes(1));
        dies("w3", "culprit", Map.of("culprit", SHORT, "tried", LONG, "new", LONG));

        assertThat(standing("culprit")).isInstanceOf(Standing.Held.class);
        assertThat(((Standing.Held) standing("culprit")).message())
                .contains(
                        "after 2 others",
                        "until it is restarted or configured anew",
                        "Then it starts alone from 2026-11-24T11:01:00Z on");
        assertThat(known).doesNotContainKeys("waiting", "new");
        assertThat(standing("tried")).isInstanceOf(Standing.Waits.class);
        assertThat(of("tried").deaths()).hasSize(2);
        later(Duration.ofDays(30));
        assertThat(rules.afterTime(known, now)).isEmpty();
        assertThat(standing("culprit")).isInstanceOf(Standing.Held.class);
    }

    @Test
    @DisplayName("after a trial that was passed one more death makes it wait again")
    void thirdDeath() {
        dies("w1", null, Map.of("a", LONG));
        dies("w2", null, Map.of("a", LONG));
        known.put("a", rules.afterTrial(of("a"), now));
        dies("w3", null, Map.of("a", LONG));
        assertThat(standing("a")).isInstanceOf(Standing.Waits.class);
        assertThat(of("a").deaths()).hasSize(3);
    }

    @Test
    @DisplayName(
            "TEN-10: what ended two workers soon after its start, once by a start of its own, waits"
                    + " an hour, so that the third worker lives")
    void prompt() {
        dies("w1", null, Map.of("culprit", ORDERED, "old", LONG));
        later(Duration.ofMinutes(1));
        dies("w2", null, Map.of("culprit", SHORT, "old", SHORT));

        assertThat(((Standing.Waits) standing("culprit")).from())
                .isEqualTo(now.plus(Duration.ofHours(1)));
        assertThat(((Standing.Waits) standing("culprit")).message())
                .contains("It starts alone from 2026-11-24T11:01:00Z on");
        assertThat(((Standing.Waits) standing("old")).from()).isBeforeOrEqualTo(now);
    }

    @Test
    @DisplayName("what came back with others on both workers does not wait an hour")
    void notPromptTogether() {
        dies("w1", null, Map.of("a", SHORT));
        dies("w2", null, Map.of("a", SHORT));
        assertThat(((Standing.Waits) standing("a")).from()).isBeforeOrEqualTo(now);
    }

    @Test
    @DisplayName("the hour of what is suspected most does not end with another's conviction")
    void promptStays() {
        dies("w1", null, Map.of("prompt", ORDERED, "other", LONG));
        dies("w2", null, Map.of("prompt", SHORT, "other", SHORT));
        dies("w3", "other", Map.of("other", SHORT));
        assertThat(standing("other")).isInstanceOf(Standing.Held.class);
        assertThat(standing("prompt")).isInstanceOf(Standing.Waits.class);
    }

    @Test
    @DisplayName("a worker that answers did not die: the count, the wait and the verdict are void")
    void withdraws() {
        dies("w1", null, Map.of("a", LONG, "b", LONG));
        dies("w2", null, Map.of("a", LONG, "b", LONG));
        dies("w3", "a", Map.of("a", SHORT));
        assertThat(standing("a")).isInstanceOf(Standing.Held.class);

        assertThat(rules.afterAnswer(known, "w3", "w3/2")).as("another process").isEmpty();
        apply(rules.afterAnswer(known, "w3", "w3/1"));
        assertThat(standing("a")).isInstanceOf(Standing.Waits.class);
        apply(rules.afterAnswer(known, "w2", "w2/1"));
        assertThat(standing("a")).isEqualTo(new Standing.Free());
        apply(rules.afterAnswer(known, "w1", "w1/1"));
        assertThat(known).isEmpty();
    }

    @Test
    @DisplayName(
            "TEN-10: a restart and another configuration forget no death: what waits goes on waiting,"
                    + " what was held waits until the deaths are an hour old")
    void commandsForgetNothing() {
        dies("w1", null, Map.of("a", LONG));
        command("a", true);
        assertThat(of("a").deaths()).hasSize(1);
        dies("w2", null, Map.of("a", LONG));
        command("a", true);
        command("a", false);
        assertThat(standing("a")).isInstanceOf(Standing.Waits.class);
        assertThat(of("a").deaths()).hasSize(2);

        dies("w3", "a", Map.of("a", SHORT));
        later(Duration.ofMinutes(10));
        command("a", false);
        assertThat(((Standing.Waits) standing("a")).from())
                .isEqualTo(START.plus(Duration.ofHours(1)));
        assertThat(of("a").deaths()).hasSize(3);
    }

    @Test
    @DisplayName("TEN-10: what was held and died again waits an hour again")
    void recidivist() {
        dies("w1", null, Map.of("a", LONG));
        dies("w2", null, Map.of("a", LONG));
        dies("w3", "a", Map.of("a", SHORT));
        later(Duration.ofHours(2));
        command("a", true);
        assertThat(((Standing.Waits) standing("a")).from()).isBefore(now);
        known.put("a", rules.afterTrial(of("a"), now));
        later(Duration.ofMinutes(59));
        dies("w4", null, Map.of("a", LONG));

        assertThat(((Standing.Waits) standing("a")).from())
                .isEqualTo(now.plus(Duration.ofHours(1)));
        assertThat(of("a").deaths()).hasSize(4);
    }

    @Test
    @DisplayName("TEN-10: another configuration is tried again, the same one is not")
    void triesWhatChanged() {
        dies("w1", null, Map.of("a", LONG));
        dies("w2", null, Map.of("a", LONG));
        known.put("a", rules.afterTrial(of("a"), now));
        command("a", false);
        assertThat(standing("a")).isEqualTo(new Standing.Free());
        command("a", true);
        assertThat(standing("a")).isInstanceOf(Standing.Waits.class);
    }

    @Test
    @DisplayName("an hour of running well after its trial forgets what waited for long")
    void forgetsAfterRunningWell() {
        dies("w1", null, Map.of("a", ORDERED));
        dies("w2", null, Map.of("a", SHORT));
        later(Duration.ofMinutes(61));
        known.put("a", rules.afterTrial(of("a"), now));
        later(Duration.ofMinutes(59));
        assertThat(rules.afterTime(known, now)).isEmpty();
        later(Duration.ofMinutes(1));
        apply(rules.afterTime(known, now));
        assertThat(known).isEmpty();
    }

    @Test
    @DisplayName(
            "what another of its user was held for does not free a suspect; when it is not the first,"
                    + " it waits an hour")
    void siblings() {
        var all = Map.of("culprit", LONG, "sibling", LONG, "other", LONG);
        dies("w1", null, all);
        dies("w2", null, all);
        var of = Set.of("sibling", "free");
        assertThat(rules.afterSibling(known, of, null)).containsOnlyKeys("sibling");
        var first = rules.afterSibling(known, of, null).get("sibling");
        assertThat(((Standing.Waits) rules.standing(first, now)).from()).isBeforeOrEqualTo(now);
        var second = rules.afterSibling(known, of, new UserSuspicion(List.of(), true));
        assertThat(((Standing.Waits) rules.standing(second.get("sibling"), now)).from())
                .isEqualTo(now.plus(Duration.ofHours(1)));
    }

    private void command(String id, boolean changed) {
        var start = changed ? CommandedStart.CHANGED : CommandedStart.AGAIN;
        apply(Map.of(id, rules.afterCommand(known.get(id), null, start, now)));
    }

    @Test
    @DisplayName("a trial is longer than the workers lived after its start, within bounds")
    void trials() {
        assertThat(trialAfter(Duration.ofSeconds(3))).isEqualTo(Duration.ofSeconds(20));
        assertThat(trialAfter(Duration.ofSeconds(40))).isEqualTo(Duration.ofSeconds(60));
        assertThat(trialAfter(Duration.ofSeconds(80))).isEqualTo(Duration.ofMinutes(2));
        assertThat(trialAfter(Duration.ofHours(2))).isEqualTo(Duration.ofSeconds(20));
    }

    private Duration trialAfter(Duration ran) {
        known.clear();
        dies("w1", null, Map.of("a", LONG));
        dies("w2", null, Map.of("a", new Ran(ran, false)));
        return rules.trial(of("a"));
    }

    @Test
    @DisplayName("so many deaths are kept and no more")
    void bounded() {
        for (int i = 0; i < 100; i++) {
            dies("w" + i, null, Map.of("a", LONG));
        }
        assertThat(of("a").deaths()).hasSize(8);
        assertThat(of("a").deaths().getLast().workerId()).isEqualTo("w99");
    }

    @Test
    @DisplayName("with 0 deaths nothing waits")
    void off() {
        dies("w1", null, Map.of("a", LONG));
        dies("w2", null, Map.of("a", LONG));
        rules = rules(0);
        assertThat(rules.areOn()).isFalse();
        assertThat(standing("a")).isEqualTo(new Standing.Free());
        assertThat(rules.afterCommand(of("a"), null, CommandedStart.CHANGED, now))
                .isEqualTo(of("a"));
    }

    @Test
    @DisplayName("a suspicion comes back from the state topic as it was, and an empty one as none")
    void survives() {
        dies("w1", null, Map.of("a", ORDERED));
        var there = of("a");
        assertThat(Json.read(Json.write(there), Suspicion.class)).isEqualTo(there);
        var tried = rules.afterTrial(there.released(), now);
        assertThat(Json.read(Json.write(tried), Suspicion.class)).isEqualTo(tried);
        assertThat(
                        Json.read(
                                "{}".getBytes(java.nio.charset.StandardCharsets.UTF_8),
                                Suspicion.class))
                .isEqualTo(Suspicion.NONE);
    }
}
