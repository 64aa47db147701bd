package dev.perigee.testing.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The pages that files of the source tree cite: in comments and scripts by path or name, in other
 * code by a path below docs/, and decision records by number.
 */
final class Citations {
    private static final String CODE = ".java";
    private static final String PAGE = ".md";
    private static final Set<String> KINDS =
            Set.of(CODE, PAGE, ".yaml", ".yml", ".js", ".mjs", ".py", ".sh", ".pl", ".tpl", ".xml");
    private static final Set<String> SCRIPTS = Set.of("scripts", ".ci");

    private static final Pattern COMMENT = Pattern.compile("\\s*(?:/?\\*|//).*");
    private static final Pattern FILE = named("(?:\\.{1,2}/)*\\w[\\w./-]*\\.(?:md|txt)");
    private static final Pattern MARKDOWN = named("(?:\\.{1,2}/)*\\w[\\w./-]*\\.md");
    private static final Pattern BELOW_DOCS = named("docs/[\\w./-]+\\.md");
    private static final Pattern RECORD = Pattern.compile("\\bADR (\\d{4})\\b");

    private final Path root;
    private final List<Path> files;
    private final List<String> records;

    private Citations(Path root) throws IOException {
        this.root = root;
        this.files = SourceTree.files(root);
        try (var pages = Files.list(root.resolve("docs/adr"))) {
            records = pages.map(page -> page.getFileName().toString().split("-", 2)[0]).toList();
        }
    }

    private static Pattern named(String name) {
        return Pattern.compile("(?<![\\w./<>{}$*-])" + name + "\\b");
    }

    /** Those of every file below the root that lead nowhere, each with its file and line. */
    static List<String> broken(Path root) throws IOException {
        var citations = new Citations(root);
        return citations.files.stream()
                .filter(citations::isText)
                .flatMap(citations::brokenOf)
                .toList();
    }

    /** What a line of a file of this name cites: names of pages, and numbers of records. */
    static List<String> of(String file, String line) {
        return Stream.concat(
                        pattern(file, line).matcher(line).results().map(MatchResult::group),
                        RECORD.matcher(line).results().map(found -> found.group(1)))
                .toList();
    }

    private static Pattern pattern(String file, String line) {
        if (!file.endsWith(CODE)) {
            return MARKDOWN;
        }
        return COMMENT.matcher(line).matches() ? FILE : BELOW_DOCS;
    }

    private boolean isText(Path file) {
        var name = file.getFileName().toString();
        int dot = name.lastIndexOf('.');
        return dot >= 0
                ? KINDS.contains(name.substring(dot))
                : SCRIPTS.contains(root.relativize(file).getName(0).toString());
    }

    private Stream<String> brokenOf(Path file) {
        var broken = new ArrayList<String>();
        int number = 0;
        for (var line : linesOf(file)) {
            number++;
            for (var cited : of(file.toString(), line)) {
                if (!isThere(file, cited)) {
                    broken.add(root.relativize(file) + ":" + number + ": " + cited);
                }
            }
        }
        return broken.stream();
    }

    private static List<String> linesOf(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
    }

    private boolean isThere(Path from, String cited) {
        return records.contains(cited)
                || Files.exists(root.resolve(cited))
                || Files.exists(from.resolveSibling(cited))
                || (cited.indexOf('/') < 0
                        && files.stream().anyMatch(file -> file.endsWith(cited)));
    }
}
