package dev.perigee.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.local.cli.Perigee;
import dev.perigee.testing.Checkout;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The pages of the documentation")
final class PagesTest {

    private static final Pattern ELSEWHERE = Pattern.compile("^[a-z]+:.*");
    private static final Pattern COMMAND = Pattern.compile("^(?:scripts/)?perigee ([a-z-]+).*");

    /** Commands that other modules add. */
    private static final List<String> ADDED = List.of("bench", "nemesis");

    private static final Pattern OPTION = Pattern.compile("(?<=[ \\[])--?[a-z][a-z-]*");

    @Test
    @DisplayName("link to files and headings that exist")
    void link() throws IOException {
        var broken = new ArrayList<String>();
        int links = 0;
        for (var file : Pages.all()) {
            for (var link : Pages.read(file).links()) {
                links++;
                if (!ELSEWHERE.matcher(link).matches() && !leadsSomewhere(file, link)) {
                    broken.add(file.getFileName() + ": " + link);
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(links).isGreaterThan(100);
    }

    private static boolean leadsSomewhere(Path from, String link) {
        var parts = link.split("#", 2);
        var target = parts[0].isEmpty() ? from : from.resolveSibling(parts[0]).normalize();
        if (parts.length == 1 || !target.toString().endsWith(".md")) {
            return Files.exists(target);
        }
        return Files.exists(target) && Pages.read(target).anchors().contains(parts[1]);
    }

    @Test
    @DisplayName("are all in the index")
    void index() throws IOException {
        var root = Checkout.root();
        try (var files = Files.list(root.resolve("docs"))) {
            assertThat(Pages.inOrder())
                    .containsAll(
                            files.filter(file -> file.toString().endsWith(".md"))
                                    .filter(file -> !file.endsWith("README.md"))
                                    .toList());
        }
    }

    @Test
    @DisplayName("say of each block what it is, and run Perigee as it is to be pasted")
    void blocks() {
        for (var file : Pages.inOrder()) {
            var page = Pages.read(file);
            assertThat(page.blocks())
                    .as("%s: sh for commands, text for what they print", file)
                    .noneMatch(block -> block.language().isEmpty());
            assertThat(page.steps()).noneMatch(step -> step.text().startsWith("perigee "));
        }
    }

    @Test
    @DisplayName("name commands and options that there are, also within the text")
    void options() {
        var unknown = new ArrayList<String>();
        for (var file : Pages.inOrder()) {
            var page = Pages.read(file);
            var lines = new ArrayList<>(page.code());
            page.steps().forEach(step -> lines.add(step.text()));
            for (var line : lines) {
                unknown.addAll(unknown(line, file));
            }
        }
        assertThat(unknown).isEmpty();
    }

    private static List<String> unknown(String written, Path file) {
        var line = written.replaceAll(" #.*|'[^']*'", "");
        var command = COMMAND.matcher(line);
        if (!command.matches() || ADDED.contains(command.group(1))) {
            return List.of();
        }
        var nowhere = new PrintWriter(Writer.nullWriter());
        var spec = Perigee.commandLine(nowhere, nowhere);
        for (var word : line.replaceFirst(".*?perigee ", "").split(" ")) {
            var next = spec.getSubcommands().get(word);
            if (next == null) {
                break;
            }
            spec = next;
        }
        if (spec.getParent() == null) {
            return List.of(file.getFileName() + ": " + line);
        }
        var known = spec.getCommandSpec().optionsMap().keySet();
        return OPTION.matcher(line)
                .results()
                .map(match -> match.group())
                .filter(option -> !known.contains(option))
                .map(option -> file.getFileName() + ": " + option + " in " + line)
                .toList();
    }
}
