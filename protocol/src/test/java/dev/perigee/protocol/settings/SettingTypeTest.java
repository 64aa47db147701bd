package dev.perigee.protocol.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SettingTypeTest {
    private enum Mode {
        AUTO,
        READ_ONLY
    }

    static Stream<Arguments> accepted() {
        return Stream.of(
                Arguments.of(SettingType.string(), "a b", "a b"),
                Arguments.of(SettingType.integer(0, 5), "5", 5),
                Arguments.of(SettingType.decimal(0, 1), "0.5", 0.5),
                Arguments.of(SettingType.bool(), "true", true),
                Arguments.of(SettingType.bool(), "false", false),
                Arguments.of(SettingType.duration(), "0", Duration.ZERO),
                Arguments.of(SettingType.duration(), "500ms", Duration.ofMillis(500)),
                Arguments.of(SettingType.duration(), "30s", Duration.ofSeconds(30)),
                Arguments.of(SettingType.duration(), "5m", Duration.ofMinutes(5)),
                Arguments.of(SettingType.duration(), "2h", Duration.ofHours(2)),
                Arguments.of(SettingType.duration(), "1d", Duration.ofDays(1)),
                Arguments.of(SettingType.bytes(), "7", 7L),
                Arguments.of(SettingType.bytes(), "7B", 7L),
                Arguments.of(SettingType.bytes(), "50MB", 50_000_000L),
                Arguments.of(SettingType.bytes(), "64KiB", 65_536L),
                Arguments.of(SettingType.bytes(), "1MiB", 1_048_576L),
                Arguments.of(SettingType.oneOf(Mode.class), "read-only", Mode.READ_ONLY),
                Arguments.of(SettingType.listOf(SettingType.string()), "a, b", List.of("a", "b")),
                Arguments.of(SettingType.listOf(SettingType.string()), "", List.of()),
                Arguments.of(
                        SettingType.hostPort(), "127.0.0.1:7070", new HostPort("127.0.0.1", 7070)),
                Arguments.of(SettingType.hostPort(), "[::1]:0", new HostPort("::1", 0)),
                Arguments.of(SettingType.path(), "/tmp/x", Path.of("/tmp/x")),
                Arguments.of(SettingType.uri(), "ws://h:1/link", URI.create("ws://h:1/link")));
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(SettingType.string(), ""),
                Arguments.of(SettingType.integer(0, 5), "6"),
                Arguments.of(SettingType.integer(0, 5), "-1"),
                Arguments.of(SettingType.integer(0, 5), "two"),
                Arguments.of(SettingType.decimal(0, 1), "1.1"),
                Arguments.of(SettingType.decimal(0, 1), "NaN"),
                Arguments.of(SettingType.decimal(0, 1), "x"),
                Arguments.of(SettingType.bool(), "yes"),
                Arguments.of(SettingType.duration(), "30"),
                Arguments.of(SettingType.duration(), "-1s"),
                Arguments.of(SettingType.duration(), "1 parsec"),
                Arguments.of(SettingType.duration(), "999999999999999999d"),
                Arguments.of(SettingType.bytes(), "1mib"),
                Arguments.of(SettingType.bytes(), "999999999999999999GiB"),
                Arguments.of(SettingType.oneOf(Mode.class), "AUTO"),
                Arguments.of(SettingType.listOf(SettingType.integer(0, 5)), "1,9"),
                Arguments.of(SettingType.listOf(SettingType.string()), "a,,b"),
                Arguments.of(SettingType.hostPort(), "localhost"),
                Arguments.of(SettingType.hostPort(), "localhost:70000"),
                Arguments.of(SettingType.hostPort(), "::1:80"),
                Arguments.of(SettingType.hostPort(), ":80"),
                Arguments.of(SettingType.path(), ""),
                Arguments.of(SettingType.path(), "a\0b"),
                Arguments.of(SettingType.uri(), "not a uri"),
                Arguments.of(SettingType.uri(), "/relative"));
    }

    @ParameterizedTest
    @MethodSource("accepted")
    void reads(SettingType<?> type, String text, Object value) {
        assertThat((Object) type.parse(text)).isEqualTo(value);
    }

    @ParameterizedTest
    @MethodSource("refused")
    void refuses(SettingType<?> type, String text) {
        assertThat((Object) type.parse(text)).isNull();
    }

    @Test
    void restrictsAType() {
        var type =
                SettingType.duration()
                        .where(value -> value.compareTo(Duration.ofSeconds(1)) >= 0, "at least 1s");

        assertThat(type.parse("999ms")).isNull();
        assertThat(type.parse("1s")).isEqualTo(Duration.ofSeconds(1));
        assertThat(type.expects()).endsWith(", at least 1s");
    }

    @Test
    void writesAnAddressAsItReadsIt() {
        assertThat(new HostPort("::1", 80)).hasToString("[::1]:80");
        assertThat(new HostPort("localhost", 80)).hasToString("localhost:80");
    }

    @Test
    void namesTheElementThatIsAtFault() {
        var numbers = SettingType.listOf(SettingType.integer(0, 5));
        assertThat(numbers.fault("1, 9 ,2,x")).isEqualTo("9");
        assertThat(numbers.fault("1,,2")).isEmpty();
        assertThat(SettingType.listOf(numbers).fault("7,8")).isEqualTo("7");
        var few = numbers.where(list -> list.size() < 3, "fewer than three");
        assertThat(few.fault("1,9")).isEqualTo("9");
        assertThat(few.fault("1,2,3")).isEqualTo("1,2,3");
        assertThat(SettingType.integer(0, 5).fault("9")).isEqualTo("9");
    }
}
