package dev.perigee.testing.docs;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * House style of code and pages, as far as a program sees it: phrases that the vocabulary of
 * docs/concepts.md replaces, class comments that are no noun phrase, and simple names of several
 * classes.
 */
final class House {
    private static final Set<String> KINDS = Set.of(".java", ".md", ".yaml", ".json");
    private static final String TESTS = "/test/";
    private static final String MADE = "docs/reference/";
    private static final String RECORDS = "docs/adr/";

    /** Files of each package or module that hold no class. */
    private static final Set<String> UNNAMED = Set.of("package-info", "module-info");

    /**
     * A phrase and what to say.
     *
     * @param phrase within words, whatever its case
     */
    private record Replaced(Pattern phrase, String by) {}

    private static final List<Replaced> REPLACED =
            List.of(
                    replaced("(?:longer|more) than nothing", "positive"),
                    replaced(
                            "surviv\\w+ a defect|defects?(?: that were)? survived",
                            "internal error"),
                    replaced("something went wrong", "unexpected error, and what failed"),
                    replaced("trying (?:on|again)", "retrying, a retry"),
                    replaced("put aside", "dead letter"),
                    replaced("an owner no more", "fenced, stale owner"),
                    replaced("unless it is said", "by default"),
                    replaced("nothing (?:more )?is (?:told|heard)", "cannot publish, no event"),
                    replaced("dead-letter queue|DLQ", "dead letters"),
                    replaced("back-pressure", "backpressure"),
                    replaced("back-off", "backoff"),
                    replaced("time-out", "timeout"),
                    replaced("fail-over", "failover"),
                    replaced("high[- ]water ?mark", "watermark"),
                    replaced("at-(?:least|most)-once|exactly-once", "at least once, at most once"),
                    replaced("zombie (?:owner|gateway|member)", "stale owner"));

    private static final Pattern BREAK =
            Pattern.compile("\"\\s*\\+\\s*\"|\\n\\s*(?:\\*|//|#)?\\s*");
    private static final Pattern TYPE =
            Pattern.compile("(?:[a-z-]+ )*(?:class|record|interface|enum|@interface) [A-Z].*");
    private static final Pattern QUESTION =
            Pattern.compile("(?:What|Which|How|Who|Whose|Where|When|Whether|Of) .*");

    private House() {}

    private static Replaced replaced(String phrase, String by) {
        return new Replaced(
                Pattern.compile("(?<![\\w-])(?:" + phrase + ")\\b", Pattern.CASE_INSENSITIVE), by);
    }

    /** Phrases in sources and pages that the vocabulary replaces, with their file. */
    static List<String> phrases(Path root) throws IOException {
        return found(root, (file, text) -> phrases(text).map(each -> file + ": " + each).toList());
    }

    /** Class comments that are no noun phrase, by their file. */
    static List<String> comments(Path root) throws IOException {
        return found(
                root,
                (file, text) -> {
                    var comment = file.endsWith(".java") ? comment(text) : null;
                    return comment == null || isNounPhrase(comment)
                            ? List.of()
                            : List.of(file + ": " + comment);
                });
    }

    /** Simple names of several files of Java, each with those. */
    static List<String> sharedNames(Path root) throws IOException {
        return sharedNames(
                SourceTree.files(root).stream()
                        .map(file -> root.relativize(file).toString())
                        .sorted()
                        .toList());
    }

    static List<String> sharedNames(List<String> files) {
        return files.stream()
                .filter(file -> file.endsWith(".java"))
                .collect(groupingBy(House::simpleName, TreeMap::new, toList()))
                .entrySet()
                .stream()
                .filter(name -> name.getValue().size() > 1 && !UNNAMED.contains(name.getKey()))
                .map(name -> name.getKey() + ": " + String.join(", ", name.getValue()))
                .toList();
    }

    private static String simpleName(String file) {
        return file.substring(file.lastIndexOf('/') + 1, file.lastIndexOf('.'));
    }

    /** Phrases of a text that are replaced, each with what to say, across its line breaks. */
    static Stream<String> phrases(String text) {
        var joined = BREAK.matcher(text).replaceAll(" ").replaceAll(" {2,}", " ");
        return REPLACED.stream()
                .flatMap(
                        each ->
                                each.phrase()
                                        .matcher(joined)
                                        .results()
                                        .map(found -> found.group() + " -> " + each.by()));
    }

    /** First line of the comment of a file's first type; null where there is none. */
    static @Nullable String comment(String source) {
        var lines = source.lines().toList();
        int at = 0;
        while (at < lines.size() && !TYPE.matcher(lines.get(at)).matches()) {
            at++;
        }
        while (at > 0 && !lines.get(at - 1).isBlank() && !lines.get(at - 1).endsWith("*/")) {
            at--; // Annotations.
        }
        if (at == lines.size() || at == 0 || lines.get(at - 1).isBlank()) {
            return null;
        }
        do {
            at--;
        } while (!lines.get(at).startsWith("/**"));
        var first = lines.get(at).substring(3).replace("*/", "").strip();
        return first.isEmpty() ? lines.get(at + 1).replaceFirst(" \\* ?", "") : first;
    }

    static boolean isNounPhrase(String comment) {
        return !QUESTION.matcher(comment).matches();
    }

    private static List<String> found(Path root, BiFunction<String, String, List<String>> look)
            throws IOException {
        var found = new ArrayList<String>();
        for (var file : SourceTree.files(root)) {
            var name = root.relativize(file).toString();
            if (isLookedAt(name)) {
                found.addAll(look.apply(name, read(file)));
            }
        }
        return found;
    }

    private static boolean isLookedAt(String name) {
        return KINDS.contains(name.substring(Math.max(0, name.lastIndexOf('.'))))
                && !name.startsWith(MADE)
                && !name.startsWith(RECORDS)
                && !name.contains(TESTS);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
    }
}
