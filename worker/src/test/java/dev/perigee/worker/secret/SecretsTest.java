package dev.perigee.worker.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.perigee.protocol.config.SecretReference;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("OPS-13: the references of a configuration")
final class SecretsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** What was asked for, as {@code user/name}. */
    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());

    private final CountDownLatch gate = new CountDownLatch(1);

    /** Of two configurations at a time; those of users whose id begins with "slow" at the gate. */
    private final class Source implements SecretSource {
        private final Function<String, String> values;
        private final Duration limit;

        Source(Duration limit, Function<String, String> values) {
            this.limit = limit;
            this.values = values;
        }

        @Override
        public String read(SecretAddress address, long deadlineNanos)
                throws SecretException, InterruptedException {
            asked.add(address.userId() + "/" + address.name());
            long left = deadlineNanos - System.nanoTime();
            if (address.userId().startsWith("slow")
                    && !gate.await(Math.max(0, left), TimeUnit.NANOSECONDS)) {
                throw new SecretException(address.name(), "late");
            }
            return values.apply(address.name());
        }

        @Override
        public int parallel() {
            return 2;
        }

        @Override
        public Duration limit() {
            return limit;
        }

        @Override
        public Duration reuse() {
            return Duration.ZERO;
        }
    }

    private Secrets secrets() {
        return new Secrets(new Source(PATIENCE, name -> "value of " + name));
    }

    private static ServerConfig config(String user, Map<String, String> env) {
        return new ServerConfigBuilder(
                        "i",
                        "s",
                        new Owner("t1", "t1", user, user),
                        TransportType.STDIO,
                        "node",
                        List.of())
                .env(env)
                .build();
    }

    private static ServerConfig config(String user, String... names) {
        var env = new TreeMap<String, String>();
        for (var name : names) {
            env.put("V_" + name, SecretReference.to(name));
        }
        return config(user, env);
    }

    @Test
    @DisplayName("are asked for once by each name")
    void resolves() throws Exception {
        var one = SecretReference.to("one");
        var config = config("u1", Map.of("A", one, "B", one, "C", "plain"));

        var resolved = secrets().resolve(config, PATIENCE);

        assertThat(resolved.env())
                .isEqualTo(Map.of("A", "value of one", "B", "value of one", "C", "plain"));
        assertThat(asked).containsExactly("u1/one");
    }

    @Test
    @DisplayName("are bounded in bytes, each use of a secret counted")
    void boundedInBytes() throws Exception {
        var large = new Secrets(new Source(PATIENCE, _ -> "x".repeat(SecretText.MAX_BYTES)));
        var env = new TreeMap<String, String>();
        for (int i = 0; i < 4; i++) {
            env.put("V" + i, SecretReference.to("one"));
        }
        assertThat(large.resolve(config("u1", env), PATIENCE).env()).hasSize(4);
        env.put("MORE", SecretReference.to("one"));

        assertThatThrownBy(() -> large.resolve(config("u1", env), PATIENCE))
                .isInstanceOf(SecretException.class)
                .hasMessageContaining("256 KiB");
        assertThatThrownBy(
                        () -> large.resolve(config("u1", "a", "b", "c", "d", "e", "f"), PATIENCE))
                .hasMessageContaining("256 KiB");
        assertThat(asked).as("no more than it takes to know").doesNotContain("u1/f");
    }

    @Test
    @DisplayName("are bounded in number, whatever a gateway let pass")
    void boundedInNumber() {
        var env = new TreeMap<String, String>();
        for (int i = 0; i <= SecretReference.MOST; i++) {
            env.put("V" + i, SecretReference.to("one"));
        }
        assertThatThrownBy(() -> secrets().resolve(config("u1", env), PATIENCE))
                .hasMessageContaining("more than 64 references");
        assertThat(asked).isEmpty();
    }

    @Test
    @DisplayName("take one turn together, and a user's many hold up no other team's")
    void inTurns() throws Exception {
        var secrets = secrets();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var mine = new ArrayList<Future<ServerConfig>>();
            for (int i = 0; i < 5; i++) {
                var config = config("slow" + i, "a", "b", "c");
                mine.add(threads.submit(() -> secrets.resolve(config, PATIENCE)));
            }
            await().atMost(PATIENCE).until(() -> asked.size() == 1);

            var theirs =
                    new ServerConfigBuilder(
                                    "i",
                                    "s",
                                    new Owner("t2", "t2", "u2", "u2"),
                                    TransportType.STDIO,
                                    "node",
                                    List.of())
                            .env(Map.of("A", SecretReference.to("theirs")))
                            .build();
            assertThat(secrets.resolve(theirs, PATIENCE).env())
                    .containsEntry("A", "value of theirs");
            assertThat(asked).hasSize(2).contains("u2/theirs");

            gate.countDown();
            for (var one : mine) {
                assertThat(one.get().env()).hasSize(3);
            }
        }
        var users =
                asked.stream()
                        .map(SecretsTest::user)
                        .filter(each -> each.startsWith("slow"))
                        .toList();
        assertThat(changes(users)).as("one after the other, each as a whole").isEqualTo(4);
    }

    private static String user(String asked) {
        return asked.substring(0, asked.indexOf('/'));
    }

    private static int changes(List<String> users) {
        int changes = 0;
        for (int i = 1; i < users.size(); i++) {
            changes += users.get(i).equals(users.get(i - 1)) ? 0 : 1;
        }
        return changes;
    }

    @Test
    @DisplayName(
            "are not waited for longer than who asks wants, nor their provider longer than it may")
    void inTime() throws Exception {
        var secrets = secrets();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var first = threads.submit(() -> secrets.resolve(config("slow", "a"), PATIENCE));
            await().atMost(PATIENCE).until(() -> asked.size() == 1);

            assertThatThrownBy(() -> secrets.resolve(config("u2", "a"), Duration.ofMillis(1)))
                    .hasMessageContaining("try again later");
            gate.countDown();
            assertThat(first.get().env()).hasSize(1);
        }
    }

    @Test
    @DisplayName("have their provider's time all together")
    void limited() {
        var brief = new Secrets(new Source(Duration.ofMillis(200), name -> name));

        assertThatThrownBy(() -> brief.resolve(config("slow", "a", "b"), PATIENCE))
                .isInstanceOf(SecretException.class)
                .hasMessageContaining("'a' cannot be had: late");
        assertThat(asked).containsExactly("slow/a");
    }
}
