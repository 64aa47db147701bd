package dev.perigee.gateway.secret;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StateSealTest {
    private static final byte[] VALUE = "{\"env\":{\"API_KEY\":\"s3cret\"}}".getBytes(UTF_8);
    private static final String NAME = "instance/echo-acme-alice-i1";

    private static String entry(String id, int fill) {
        var bytes = new byte[32];
        Arrays.fill(bytes, (byte) fill);
        return id + ":" + Base64.getEncoder().encodeToString(bytes);
    }

    private static StateKeys keys(String text) {
        return Objects.requireNonNull(StateKeys.parse(text));
    }

    private static StateSeal seal(String... entries) {
        return new StateSeal(keys(String.join("\n", entries)));
    }

    @Test
    void opensWhatItSealed() throws Exception {
        var seal = seal(entry("k1", 1));
        var sealed = seal.seal(NAME, VALUE);

        assertThat(new String(sealed, UTF_8)).doesNotContain("s3cret", "API_KEY");
        assertThat(sealed).hasSize(VALUE.length + 2 + "k1".length() + 12 + 16);
        assertThat(seal.open(NAME, sealed)).isEqualTo(VALUE);
        assertThat(seal.seal(NAME, VALUE)).isNotEqualTo(sealed);
        assertThat(seal.open(NAME, seal.seal(NAME, new byte[0]))).isEmpty();
    }

    @Test
    void opensUnderItsOwnNameOnly() {
        var seal = seal(entry("k1", 1));
        var sealed = seal.seal(NAME, VALUE);

        assertThatThrownBy(() -> seal.open("instance/echo-acme-bob-i1", sealed))
                .isInstanceOf(SealedException.class)
                .hasMessageContaining("altered");
    }

    @Test
    void seesEveryAlteredBit() {
        var seal = seal(entry("k1", 1), entry("k2", 2));
        var sealed = seal.seal(NAME, VALUE);

        for (int i = 1; i < sealed.length; i++) {
            var altered = sealed.clone();
            altered[i] ^= 1;
            assertThatThrownBy(() -> seal.open(NAME, altered)).isInstanceOf(SealedException.class);
        }
        for (int length = 1; length < sealed.length; length++) {
            var cut = Arrays.copyOf(sealed, length);
            assertThatThrownBy(() -> seal.open(NAME, cut)).isInstanceOf(SealedException.class);
        }
    }

    @Test
    void rotates() throws Exception {
        var old = seal(entry("k1", 1));
        var both = seal(entry("k2", 2), entry("k1", 1));
        var sealed = old.seal(NAME, VALUE);

        assertThat(old.isCurrent(sealed)).isTrue();
        assertThat(both.isCurrent(sealed)).isFalse();
        assertThat(both.open(NAME, sealed)).isEqualTo(VALUE);
        var anew = both.seal(NAME, VALUE);
        assertThat(both.isCurrent(anew)).isTrue();
        assertThatThrownBy(() -> old.open(NAME, anew))
                .isInstanceOf(SealedException.class)
                .hasMessageContaining("key k2")
                .hasMessageContaining("state.encryption-keys");
        assertThatThrownBy(() -> new StateSeal(null).open(NAME, anew))
                .isInstanceOf(SealedException.class)
                .hasMessageContaining("key k2");
        assertThatThrownBy(() -> seal(entry("k1", 9)).open(NAME, sealed))
                .isInstanceOf(SealedException.class)
                .hasMessageContaining("another one had this id");
    }

    @Test
    void takesWhatWasNeverSealedAsItIs() throws Exception {
        var seal = seal(entry("k1", 1));
        assertThat(seal.open(NAME, VALUE)).isEqualTo(VALUE);
        assertThat(seal.isCurrent(VALUE)).isFalse();

        var none = new StateSeal(null);
        assertThat(none.seal(NAME, VALUE)).isEqualTo(VALUE);
        assertThat(none.isCurrent(VALUE)).isTrue();
        assertThat(none.isCurrent(seal.seal(NAME, VALUE))).isFalse();
    }

    @Test
    void readsKeys() {
        var text = "# made in 2026\n" + entry("k2", 2) + "\n\n " + entry("k-1._A", 1) + " \n";
        assertThat(keys(text).ids()).containsExactly("k2", "k-1._A");
        assertThat(keys(text).current()).isEqualTo("k2");
        assertThat(keys(entry("a", 1) + "," + entry("b", 2)).ids()).containsExactly("a", "b");
        assertThat(keys(text).toString()).isEqualTo("StateKeys[k2, k-1._A]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "# only a comment",
                "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
                "k1:",
                "k1:AAAA",
                "k1:not base64",
                ":AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
                "k 1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
                "k:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\nk:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
            })
    void refusesWhatIsNoKey(String text) {
        assertThat(StateKeys.parse(text)).isNull();
    }

    /** Prints the CPU time that a record costs; the bound is for slow machines. */
    @Test
    void costsLittle() throws Exception {
        var cpu = ManagementFactory.getThreadMXBean();
        var seal = seal(entry("k1", 1));
        var value = new byte[2048];
        long each = 0;
        for (int round = 0; round < 5; round++) {
            long begin = cpu.getCurrentThreadCpuTime();
            for (int i = 0; i < 5_000; i++) {
                seal.open(NAME, seal.seal(NAME, value));
            }
            each = (cpu.getCurrentThreadCpuTime() - begin) / 5_000;
        }
        System.out.printf("2 KiB sealed and opened again in %.1f us%n", each / 1000.0);
        assertThat(Duration.ofNanos(each)).isLessThan(Duration.ofMillis(5));
    }
}
