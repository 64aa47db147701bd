package dev.perigee.worker.process.isolation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The words of a command while they are put together. */
final class CommandLine {
    private final List<String> words = new ArrayList<>();

    CommandLine(String program) {
        words.add(program);
    }

    /** An option and what belongs to it, a word each. */
    CommandLine add(String option, Object... values) {
        words.add(option);
        for (var value : values) {
            words.add(value.toString());
        }
        return this;
    }

    CommandLine addAll(Collection<String> more) {
        words.addAll(more);
        return this;
    }

    List<String> words() {
        return List.copyOf(words);
    }
}
