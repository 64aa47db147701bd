package dev.perigee.gateway.quarantine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.json.Json;
import java.nio.charset.StandardCharsets;
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

@DisplayName("What users answer for when workers die")
final class UserRulesTest {
    private static final Instant START = Instant.parse("2026-11-24T10:00:00Z");
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Ran LONG = new Ran(Duration.ofHours(3), false);
    private static final Ran SHORT = new Ran(Duration.ofSeconds(10), false);
    private static final Ran ORDERED = new Ran(Duration.ofSeconds(10), true);

    private final QuarantineRules rules =
            new QuarantineRules(
                    new QuarantineLimits(2, HOUR, Duration.ofSeconds(20), Duration.ZERO));
    private final Map<String, Suspicion> known = new HashMap<>();
    private final Map<String, UserSuspicion> users = new HashMap<>();
    private Instant now = START;

    /** Process ids begin with their user's name and a slash. */
    private static String user(String processId) {
        return processId.substring(0, processId.indexOf('/'));
    }

    private void dies(String worker, Map<String, Ran> ran) {
        var changes = rules.afterDeath(known, ran, null, worker, worker + "/1", now);
        var accused = new HashMap<String, List<Suspicion>>();
        changes.forEach(
                (id, suspicion) ->
                        accused.merge(
                                user(id),
                                List.of(suspicion),
                                (one, two) -> List.of(one.getFirst(), two.getFirst())));
        take(changes);
        takeUsers(rules.users().afterDeath(users, accused, now));
    }

    private void convicts(String worker, String processId, Map<String, Ran> ran) {
        var changes = rules.afterDeath(known, ran, processId, worker, worker + "/1", now);
        take(changes);
        takeUsers(
                rules.users()
                        .afterConviction(
                                users, user(processId), of(processId), Set.of("other"), now));
    }

    private void take(Map<String, Suspicion> changes) {
        known.putAll(changes);
        known.values().removeIf(Suspicion::isNone);
    }

    private void takeUsers(Map<String, UserSuspicion> changes) {
        users.putAll(changes);
        users.values().removeIf(UserSuspicion::isNone);
    }

    private Suspicion of(String processId) {
        return Objects.requireNonNull(known.get(processId));
    }

    /** A command installs it, or gives it another configuration. */
    private Standing installed(String processId) {
        return started(processId, CommandedStart.CHANGED);
    }

    private Standing started(String processId, CommandedStart start) {
        var user = users.get(user(processId));
        take(Map.of(processId, rules.afterCommand(known.get(processId), user, start, now)));
        return rules.standing(known.get(processId), now);
    }

    private static @Nullable Instant from(Standing standing) {
        return standing instanceof Standing.Waits(var from, var _) ? from : null;
    }

    @Test
    @DisplayName(
            "TEN-10: after two deaths what the user installs or changes starts alone, for an hour;"
                    + " other users' does not")
    void newInstallations() {
        dies("w1", Map.of("u/a", LONG, "v/a", LONG));
        known.remove("u/a"); // Removed, and installed under another id.
        assertThat(installed("u/b")).isEqualTo(new Standing.Free());
        now = now.plusSeconds(600);
        dies("w2", Map.of("u/b", LONG));

        assertThat(from(rules.standing(known.get("u/b"), now))).isEqualTo(now);
        assertThat(from(installed("u/c"))).isEqualTo(now);
        assertThat(rules.standing(of("u/c"), now))
                .asInstanceOf(
                        org.assertj.core.api.InstanceOfAssertFactories.type(Standing.Waits.class))
                .extracting(Standing.Waits::message)
                .asString()
                .startsWith("Quarantined: it or another server of its user was running when 2");
        assertThat(installed("v/b")).isEqualTo(new Standing.Free());
        assertThat(installed("x/a")).isEqualTo(new Standing.Free());
        assertThat(known).doesNotContainKey("x/a");

        now = now.plus(HOUR);
        takeUsers(rules.users().afterTime(users, now));
        assertThat(users).isEmpty();
        assertThat(installed("u/d")).isEqualTo(new Standing.Free());
        assertThat(known).doesNotContainKey("u/d");
    }

    @Test
    @DisplayName("TEN-10: what ends two workers at once under two ids has the third wait an hour")
    void promptUnderOtherIds() {
        dies("w1", Map.of("u/a", ORDERED, "u/innocent", LONG));
        installed("u/b");
        dies("w2", Map.of("u/b", ORDERED, "u/innocent", SHORT));

        assertThat(from(rules.standing(known.get("u/b"), now))).isEqualTo(now.plus(HOUR));
        assertThat(from(installed("u/c"))).isEqualTo(now.plus(HOUR));
        assertThat(from(rules.standing(known.get("u/innocent"), now))).isEqualTo(now);
        assertThat(from(installed("u/innocent"))).isEqualTo(now.plus(HOUR));
    }

    @Test
    @DisplayName(
            "TEN-10: once an installation is held what its user installs waits an hour; of other"
                    + " users those count on who ran there")
    void convictedUser() {
        var all = Map.of("u/a", LONG, "other/a", LONG, "third/a", LONG);
        dies("w1", all);
        dies("w2", all);
        convicts("w3", "u/a", Map.of("u/a", SHORT, "other/a", LONG));

        assertThat(from(installed("u/b"))).isEqualTo(now.plus(HOUR));
        assertThat(of("u/b").deaths()).hasSize(3);
        assertThat(users).containsOnlyKeys("u", "other");
        assertThat(installed("third/b")).isEqualTo(new Standing.Free());
        assertThat(users.get("other")).extracting(UserSuspicion::convicted).isEqualTo(false);
    }

    @Test
    @DisplayName(
            "TEN-10: what was stopped while the others ended two workers starts alone, unless it"
                    + " has run alone since")
    void spares() {
        dies("w1", Map.of("u/a", LONG, "u/tried", LONG));
        dies("w2", Map.of("u/a", LONG, "u/tried", LONG));
        assertThat(started("u/running", CommandedStart.AGAIN)).isEqualTo(new Standing.Free());
        assertThat(from(started("u/spare", CommandedStart.AFTER_STOP))).isEqualTo(now);
        assertThat(started("v/spare", CommandedStart.AFTER_STOP)).isEqualTo(new Standing.Free());

        now = now.plusSeconds(60);
        known.put("u/tried", rules.afterTrial(of("u/tried"), now));
        assertThat(started("u/tried", CommandedStart.AFTER_STOP)).isEqualTo(new Standing.Free());
        now = now.plusSeconds(60);
        dies("w3", Map.of("u/a", LONG));
        assertThat(from(started("u/tried", CommandedStart.AFTER_STOP))).isEqualTo(now);

        now = now.plus(HOUR);
        assertThat(started("u/later", CommandedStart.AFTER_STOP)).isEqualTo(new Standing.Free());
    }

    @Test
    @DisplayName("what is held after an hour of waiting counts in full against its user")
    void heldLate() {
        dies("w1", Map.of("u/a", ORDERED));
        dies("w2", Map.of("u/a", SHORT));
        now = now.plus(HOUR);
        takeUsers(rules.users().afterTime(users, now));
        convicts("w3", "u/a", Map.of("u/a", SHORT));
        assertThat(from(installed("u/b"))).isEqualTo(now.plus(HOUR));
    }

    @Test
    @DisplayName("a worker that answers did not die, for its users neither")
    void withdraws() {
        dies("w1", Map.of("u/a", LONG));
        dies("w2", Map.of("u/a", LONG));
        assertThat(rules.users().afterAnswer(users, "w2", "w2/2")).isEmpty();
        takeUsers(rules.users().afterAnswer(users, "w2", "w2/1"));
        assertThat(installed("u/b")).isEqualTo(new Standing.Free());
        takeUsers(rules.users().afterAnswer(users, "w1", "w1/1"));
        assertThat(users).isEmpty();
    }

    @Test
    @DisplayName("so many deaths are kept of a user, and so many users of a partition")
    void bounded() {
        for (int i = 0; i < 100; i++) {
            dies("w" + i, Map.of("u/a", LONG));
        }
        assertThat(Objects.requireNonNull(users.get("u")).deaths()).hasSize(8);

        var few = new UserRules(HOUR, 2);
        var death = new Death("w", "i", now.plusSeconds(1), 0, false);
        var one = new Suspicion(List.of(death), false, false, false, false, null);
        var accused = Map.of("v", List.of(one), "x", List.of(one));
        assertThat(few.afterDeath(users, accused, now.plusSeconds(1)))
                .containsEntry("u", UserSuspicion.NONE)
                .hasSize(3);
    }

    @Test
    @DisplayName("comes back from the state topic as it was, and an empty one as none")
    void survives() {
        dies("w1", Map.of("u/a", ORDERED));
        var there = Objects.requireNonNull(users.get("u"));
        assertThat(Json.read(Json.write(there), UserSuspicion.class)).isEqualTo(there);
        assertThat(Json.read("{}".getBytes(StandardCharsets.UTF_8), UserSuspicion.class))
                .isEqualTo(UserSuspicion.NONE);
    }
}
