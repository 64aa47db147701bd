package dev.perigee.protocol.settings;

import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Parser of a setting's value. Pure.
 *
 * @param expects completes the sentence "x is not …" and is what a user reads on the reference
 *     page, so it names the form and gives an example
 * @param parser returns null for text that it does not accept; never sees surrounding white space
 */
public record SettingType<T>(String expects, Parser<T> parser) {
    /** Turns text into a value, or returns null. */
    @FunctionalInterface
    public interface Parser<T> {
        @Nullable T parse(String text);

        /** What of a text that is not accepted is at fault: all of it, or one element of a list. */
        default String fault(String text) {
            return text;
        }
    }

    @Nullable T parse(String text) {
        return parser.parse(text);
    }

    /** The part of a text that is not accepted because of which it is not. */
    String fault(String text) {
        return parser.fault(text);
    }

    /** The same type, restricted; {@code restriction} reads after what the type expects. */
    public SettingType<T> where(Predicate<T> accepts, String restriction) {
        return new SettingType<>(expects + ", " + restriction, new Restricted<>(parser, accepts));
    }

    /** A string that is not blank. */
    public static SettingType<String> string() {
        return new SettingType<>("a string", text -> text.isEmpty() ? null : text);
    }

    /** A whole number within both bounds, inclusive. */
    public static SettingType<Integer> integer(int min, int max) {
        var range = max == Integer.MAX_VALUE ? "of at least " + min : "from " + min + " to " + max;
        return new SettingType<>(
                "a whole number " + range,
                text -> {
                    try {
                        var value = Integer.parseInt(text);
                        return value >= min && value <= max ? value : null;
                    } catch (NumberFormatException e) {
                        return null;
                    }
                });
    }

    /** A decimal number within both bounds, inclusive. */
    public static SettingType<Double> decimal(double min, double max) {
        return new SettingType<>(
                "a number from " + min + " to " + max,
                text -> {
                    try {
                        var value = Double.parseDouble(text);
                        return value >= min && value <= max ? value : null;
                    } catch (NumberFormatException e) {
                        return null;
                    }
                });
    }

    /** {@code true} or {@code false}. */
    public static SettingType<Boolean> bool() {
        return new SettingType<>(
                "true or false",
                text ->
                        switch (text) {
                            case "true" -> Boolean.TRUE;
                            case "false" -> Boolean.FALSE;
                            default -> null;
                        });
    }

    /** Zero or more, with a unit: ms, s, m, h, d; a bare 0 needs none. */
    public static SettingType<Duration> duration() {
        return new SettingType<>("a duration such as 500ms, 30s or 5m", Quantity::duration);
    }

    /**
     * Bytes, with a unit: B, KB, MB, GB (powers of 1000), KiB, MiB, GiB; a bare number is bytes.
     */
    public static SettingType<Long> bytes() {
        return new SettingType<>("a size such as 64KiB, 1MiB or 1048576", Quantity::bytes);
    }

    /** A constant of the enum, written in lower case with hyphens. */
    public static <E extends Enum<E>> SettingType<E> oneOf(Class<E> type) {
        var constants = List.of(type.getEnumConstants());
        return new SettingType<>(
                "one of "
                        + constants.stream()
                                .map(SettingType::spelled)
                                .collect(Collectors.joining(", ")),
                text -> {
                    for (var constant : constants) {
                        if (spelled(constant).equals(text)) {
                            return constant;
                        }
                    }
                    return null;
                });
    }

    /** Elements separated by commas; no text is the empty list. */
    public static <E> SettingType<List<E>> listOf(SettingType<E> element) {
        return new SettingType<>(
                "a list separated by commas, each " + element.expects(), new Elements<>(element));
    }

    private record Restricted<T>(Parser<T> parser, Predicate<T> accepts) implements Parser<T> {
        @Override
        public @Nullable T parse(String text) {
            var value = parser.parse(text);
            return value != null && accepts.test(value) ? value : null;
        }

        @Override
        public String fault(String text) {
            return parser.parse(text) == null ? parser.fault(text) : text;
        }
    }

    private record Elements<E>(SettingType<E> element) implements Parser<List<E>> {
        private static List<String> parts(String text) {
            return text.isEmpty()
                    ? List.of()
                    : Arrays.stream(text.split(",", -1)).map(String::strip).toList();
        }

        @Override
        public @Nullable List<E> parse(String text) {
            var values = new ArrayList<E>();
            for (var part : parts(text)) {
                var value = element.parse(part);
                if (value == null) {
                    return null;
                }
                values.add(value);
            }
            return List.copyOf(values);
        }

        @Override
        public String fault(String text) {
            return parts(text).stream()
                    .filter(part -> element.parse(part) == null)
                    .findFirst()
                    .map(element::fault)
                    .orElse(text);
        }
    }

    /** An address, {@code host:port}. */
    public static SettingType<HostPort> hostPort() {
        return new SettingType<>("an address such as 127.0.0.1:7070", HostPort::parse);
    }

    /** A path, relative to the working directory unless it is absolute. */
    public static SettingType<Path> path() {
        return new SettingType<>(
                "a path",
                text -> {
                    try {
                        return text.isEmpty() ? null : Path.of(text);
                    } catch (InvalidPathException e) {
                        return null;
                    }
                });
    }

    /** An absolute URI with a host. */
    public static SettingType<URI> uri() {
        return new SettingType<>(
                "a URI such as ws://127.0.0.1:7070/link",
                text -> {
                    try {
                        var uri = URI.create(text);
                        return uri.isAbsolute() && uri.getHost() != null ? uri : null;
                    } catch (IllegalArgumentException e) {
                        return null;
                    }
                });
    }

    private static String spelled(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
