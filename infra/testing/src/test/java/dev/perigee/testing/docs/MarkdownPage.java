package dev.perigee.testing.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a page of Markdown consists of, as far as tests look at it: fenced blocks, links, headings
 * and code within the text.
 */
final class MarkdownPage {

    /** The language of blocks that are commands. */
    static final String COMMANDS = "sh";

    private static final String FENCE = "```";
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern LINK = Pattern.compile("\\[[^]]*]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*)");

    /**
     * A fenced block.
     *
     * @param language what stands behind its first fence
     * @param line that of its first fence, from 1
     */
    record Block(String language, int line, List<String> lines) {}

    private final String name;
    private final List<Block> blocks = new ArrayList<>();
    private final List<String> text = new ArrayList<>();

    private MarkdownPage(String name) {
        this.name = name;
    }

    /** A page of the source tree. */
    static MarkdownPage read(Path root, Path file) {
        try {
            return of(root.relativize(file).toString(), Files.readAllLines(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static MarkdownPage of(String name, List<String> lines) {
        var page = new MarkdownPage(name);
        for (int at = 0; at < lines.size(); at++) {
            var line = lines.get(at);
            if (!line.strip().startsWith(FENCE)) {
                page.text.add(line);
                continue;
            }
            var block = new ArrayList<String>();
            int begin = at;
            for (at++; at < lines.size() && !lines.get(at).strip().equals(FENCE); at++) {
                block.add(lines.get(at));
            }
            page.blocks.add(
                    new Block(
                            line.strip().substring(FENCE.length()), begin + 1, List.copyOf(block)));
        }
        return page;
    }

    List<Block> blocks() {
        return List.copyOf(blocks);
    }

    /** The command lines, those that end with a backslash joined with the next. */
    List<Step> steps() {
        var steps = new ArrayList<Step>();
        for (var block : blocks) {
            if (block.language().equals(COMMANDS)) {
                add(steps, block);
            }
        }
        return steps;
    }

    private void add(List<Step> steps, Block block) {
        for (int at = 0; at < block.lines().size(); at++) {
            int begin = at;
            var line = new StringBuilder(block.lines().get(at).strip());
            while (line.toString().endsWith("\\") && at + 1 < block.lines().size()) {
                line.setLength(line.length() - 1);
                line.append(block.lines().get(++at).strip());
            }
            if (!line.isEmpty() && line.charAt(0) != '#') {
                steps.add(new Step(name, block.line() + 1 + begin, line.toString()));
            }
        }
    }

    /** What links point to, those in code left out. */
    List<String> links() {
        return text.stream()
                .flatMap(line -> LINK.matcher(CODE.matcher(line).replaceAll("")).results())
                .map(match -> match.group(1))
                .toList();
    }

    /** Code within the text, without its backticks. */
    List<String> code() {
        return text.stream()
                .flatMap(line -> CODE.matcher(line).results())
                .map(match -> match.group(1))
                .toList();
    }

    /** What links to this page may have behind their {@code #}. */
    Set<String> anchors() {
        var anchors = new TreeSet<String>();
        Map<String, Integer> seen = new HashMap<>();
        text.stream()
                .map(HEADING::matcher)
                .filter(Matcher::matches)
                .map(match -> anchor(match.group(1)))
                .forEach(
                        anchor -> {
                            int before = seen.merge(anchor, 1, Integer::sum) - 1;
                            anchors.add(before == 0 ? anchor : anchor + "-" + before);
                        });
        return anchors;
    }

    /** As GitHub makes them: small letters, spaces become hyphens, punctuation goes. */
    private static String anchor(String heading) {
        return LINK.matcher(heading)
                .replaceAll(match -> match.group().replaceAll("]\\(.*", "").substring(1))
                .strip()
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
    }
}
