package dev.perigee.testing.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.InstanceOrder.Apply;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.testing.fleet.Installation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Real gateways and a real broker; the worker that dies is made by hand. */
@DisplayName("When workers die under what runs")
final class QuarantineTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Map<String, String> LONG_TRIAL = settings("10m", "0s");
    private static final Map<String, String> SHORT_TRIAL = settings("100ms", "1s");
    private static final Map<String, String> LONG_QUIET = settings("100ms", "10m");
    @RegisterExtension private static final OneBroker broker = new OneBroker();

    private final Installation one = Installation.of("one", "node", List.of());
    private Installation two;
    @AutoClose private GatewayUnderTest test;

    private static Map<String, String> settings(String trial, String quiet) {
        return Map.of(
                "group.session-timeout", "6s",
                "quarantine.trial", trial,
                "quarantine.quiet", quiet);
    }

    @BeforeEach
    void prepare() throws Exception {
        test = new GatewayUnderTest(broker.bootstrap());
        two =
                Stream.generate(() -> Installation.of("two", "node", List.of()))
                        .filter(each -> test.partition(each) == test.partition(one))
                        .findFirst()
                        .orElseThrow();
    }

    @Test
    @DisplayName(
            "TEN-10: after two deaths what was running starts one after the other, and goes on when"
                    + " the worker lives; the next owner knows what was tried")
    void startsAlone() throws Exception {
        installedForLong();
        try (var _ = test.start("b", SHORT_TRIAL)) {
            die(2);
            awaitApplied(one, Objects::isNull);
            awaitApplied(two, Objects::isNull);
            assertThat(test.fleet.trials).isEmpty();

            die(4);
            await().atMost(PATIENCE)
                    .until(() -> test.fleet.trials.stream().filter("null"::equals).count() == 2);
            assertThat(test.fleet.trials).hasSize(4);
            assertThat(test.fleet.trials.get(1)).as("given back").isEqualTo("null");
            assertThat(ofInstance(one))
                    .extracting(QuarantineTest::isHeldBack)
                    .endsWith(true, false);
            assertThat(ofInstance(two))
                    .extracting(QuarantineTest::isHeldBack)
                    .endsWith(true, false);
        }
        int before = test.fleet.applied.size();
        try (var _ = test.start("c", SHORT_TRIAL)) {
            assertThat(test.backend.call(one, "echo", "{}").text("outcome")).isEqualTo("success");
        }
        assertThat(test.fleet.applied).hasSize(before);
        assertThat(test.fleet.trials).hasSize(4);
    }

    @Test
    @DisplayName("TEN-10: nobody is on trial soon after the partition was restored on a worker")
    void isQuiet() throws Exception {
        installedForLong();
        try (var _ = test.start("b", LONG_QUIET)) {
            die(2);
            die(4);
            awaitApplied(one, Objects::nonNull);
            awaitApplied(two, Objects::nonNull);
            await().during(Duration.ofSeconds(2)).until(() -> test.fleet.trials.isEmpty());
        }
    }

    @Test
    @DisplayName(
            "TEN-10: what was on trial when its worker died is held, also by the next owner; once it is"
                    + " restarted it waits until its deaths are old; the other is free")
    void holds() throws Exception {
        installedForLong();
        try (var _ = test.start("b", LONG_TRIAL)) {
            die(2);
            die(4);
            await().atMost(PATIENCE).until(() -> test.fleet.trials.size() == 1);
            var culprit = test.fleet.trials.getFirst().equals(one.processId()) ? one : two;
            var innocent = culprit.equals(one) ? two : one;
            awaitApplied(culprit, Objects::isNull);

            test.fleet.restart();

            awaitApplied(culprit, quarantine -> quarantine != null && quarantine.held());
            awaitApplied(innocent, Objects::isNull);
            assertThat(last(culprit).stopped()).isTrue();
            assertThat(message(culprit)).contains("until it is restarted");
            assertThat(test.fleet.trials).hasSize(1);
        }
        var culprit = test.fleet.trials.getFirst().equals(one.processId()) ? one : two;
        try (var _ = test.start("c", LONG_TRIAL)) {
            var restart = test.backend.command(culprit, "restart", command -> command);
            assertThat(test.backend.result(restart).text("outcome")).isEqualTo("completed");
            assertThat(test.fleet.orders).doesNotContain("instance/restart");
            awaitApplied(culprit, quarantine -> quarantine != null && !quarantine.held());
            assertThat(message(culprit)).contains("It starts alone from");
            assertThat(last(culprit).stopped()).isTrue();
            assertThat(test.fleet.trials).hasSize(1);
        }
    }

    @Test
    @DisplayName("TEN-10: what ended two workers soon after its own start waits an hour")
    void waitsWhereItIsClear() throws Exception {
        try (var _ = test.start("a", LONG_TRIAL)) {
            test.backend.install(one);
            die(1);
            die(2);
            awaitApplied(one, quarantine -> quarantine != null && !quarantine.held());
            assertThat(message(one)).contains("It starts alone from");
            assertThat(last(one).stopped()).isTrue();
            // The same configuration once more is no reason to run it.
            var again = test.backend.configure(one, "mcp_installation_updated");
            assertThat(test.backend.result(again).text("outcome")).isEqualTo("completed");
            assertThat(last(one).quarantine()).isNotNull();
            // Nor is another one, or another installation of the same user.
            var other = one.withEnv("FIXED", "yes");
            var mended = test.backend.configure(other, "mcp_installation_updated");
            assertThat(test.backend.result(mended).text("outcome")).isEqualTo("completed");
            assertThat(last(one).config().env()).containsEntry("FIXED", "yes");
            assertThat(message(one)).contains("It starts alone from");
            var sibling = one.as("sibling", one.installationId());
            test.backend.uninstall(one);
            var installed = test.backend.configure(sibling, "mcp_installation_created");
            assertThat(test.backend.result(installed).text("outcome")).isEqualTo("completed");
            assertThat(message(sibling)).contains("another server of its user", "alone from");
            assertThat(last(sibling).stopped()).isTrue();
            // Another user's installation is not concerned.
            test.backend.install(two);
            assertThat(last(two).quarantine()).isNull();
            assertThat(test.fleet.trials).isEmpty();
        }
    }

    @Test
    @DisplayName(
            "TEN-10: workers that leave, and workers that are lost from sight, quarantine nobody")
    void accusesNobody() throws Exception {
        try (var _ = test.start("a", LONG_TRIAL)) {
            test.backend.install(List.of(one, two));
            for (int i = 1; i <= 3; i++) {
                int before = test.fleet.applied.size();
                test.fleet.announce(SessionNotice.Phase.DRAINING);
                test.backend.text(one, "echo", "{}");
                test.fleet.restart();
                test.fleet.announce(SessionNotice.Phase.SERVING);
                await().atMost(PATIENCE).until(() -> test.fleet.applied.size() == before + 2);
            }
            for (int i = 0; i < 3; i++) {
                test.fleet.cut();
                test.backend.text(two, "echo", "{}");
            }
            assertThat(test.fleet.applied).allMatch(apply -> apply.quarantine() == null);
            die(1);
            await().atMost(PATIENCE).until(() -> test.fleet.applied.size() == 2 + 3 * 2 + 2);
            assertThat(test.fleet.applied).allMatch(apply -> apply.quarantine() == null);
        }
    }

    @Test
    @DisplayName("TEN-10: a worker that answers again did not die: what waited for it runs at once")
    void withdraws() throws Exception {
        installedForLong();
        try (var _ = test.start("b", LONG_TRIAL)) {
            die(2);
            await().atMost(PATIENCE).until(() -> test.fleet.applied.size() == 4);
            test.backend.call(one, "echo", "{}");
            test.fleet.outOfSight = true;
            test.fleet.cut();
            await().atMost(PATIENCE).until(() -> test.fleet.applied.size() == 5);
            assertThat(test.fleet.trials).hasSize(1);

            test.fleet.outOfSight = false;
            test.fleet.announce(SessionNotice.Phase.SERVING);

            await().atMost(PATIENCE).until(() -> test.fleet.applied.size() == 7);
            assertThat(isHeldBack(last(one))).isFalse();
            assertThat(isHeldBack(last(two))).isFalse();
            await().atMost(PATIENCE).until(() -> test.fleet.trials.contains("null"));
        }
    }

    /** Both run, and have done so for long as far as the next gateway knows. */
    private void installedForLong() throws Exception {
        try (var _ = test.start("a", LONG_TRIAL)) {
            test.backend.install(List.of(one, two));
        }
    }

    /** The worker dies, once the session has what is wanted, and something more was applied. */
    private void die(int atLeast) {
        await().atMost(PATIENCE).until(() -> test.fleet.applied.size() >= atLeast);
        // An answer proves that the owner is attached.
        test.backend.call(one, "echo", "{}");
        test.fleet.restart();
    }

    private void awaitApplied(
            Installation installation, Predicate<InstanceOrder.@Nullable Quarantine> expected) {
        await().atMost(PATIENCE)
                .until(
                        () ->
                                !ofInstance(installation).isEmpty()
                                        && expected.test(last(installation).quarantine()));
    }

    private Apply last(Installation installation) {
        return ofInstance(installation).getLast();
    }

    private String message(Installation installation) {
        return Objects.requireNonNull(last(installation).quarantine()).message();
    }

    private List<Apply> ofInstance(Installation installation) {
        return test.fleet.applied.stream()
                .filter(apply -> apply.config().processId().equals(installation.processId()))
                .toList();
    }

    private static boolean isHeldBack(Apply apply) {
        return apply.quarantine() != null;
    }
}
