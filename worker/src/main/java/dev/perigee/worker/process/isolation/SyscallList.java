package dev.perigee.worker.process.isolation;

import static java.util.stream.Collectors.toCollection;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The system calls that jailed programs may make on one machine, by number. What is not among them
 * fails with EPERM, or with ENOSYS when it is newer than all of them, so that C libraries use an
 * older one.
 */
final class SyscallList {
    private static final String RESOURCE = "syscalls.txt";
    private static final String NONE = "-";

    private final SortedMap<String, Integer> numbers;

    private SyscallList(SortedMap<String, Integer> numbers) {
        this.numbers = numbers;
    }

    static SyscallList of(ProcessorArchitecture machine) {
        var numbers = new TreeMap<String, Integer>();
        for (var words : lines()) {
            if (!words[machine.column].equals(NONE)) {
                numbers.put(words[0], Integer.valueOf(words[machine.column]));
            }
        }
        return new SyscallList(numbers);
    }

    /** All names, those of every machine together. */
    static SortedSet<String> names() {
        return lines().stream().map(words -> words[0]).collect(toCollection(TreeSet::new));
    }

    private static List<String[]> lines() {
        try (var file = SyscallList.class.getResourceAsStream(RESOURCE)) {
            var text =
                    new String(
                            Objects.requireNonNull(file, RESOURCE).readAllBytes(),
                            StandardCharsets.US_ASCII);
            return text.lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split(" ", -1))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The number of one that is here. */
    int number(String name) {
        return Objects.requireNonNull(numbers.get(name), name);
    }

    /** Those that are allowed whatever their arguments are. */
    SortedSet<Integer> unconditional() {
        var plain = new TreeSet<>(numbers.values());
        SyscallRule.ALL.forEach(rule -> plain.remove(number(rule.name())));
        return plain;
    }

    int highest() {
        return numbers.values().stream().mapToInt(Integer::intValue).max().orElseThrow();
    }
}
