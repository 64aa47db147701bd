package dev.perigee.testing.docs;

import dev.perigee.testing.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The pages of the source tree. */
final class Pages {

    private static final Path ROOT = Checkout.root();
    private static final Path DOCS = ROOT.resolve("docs");

    private Pages() {}

    /** The README, then those of docs/ in the order of their index. */
    static List<Path> inOrder() {
        var index = MarkdownPage.read(ROOT, DOCS.resolve("README.md"));
        return Stream.concat(
                        Stream.of(ROOT.resolve("README.md")),
                        index.links().stream()
                                .filter(link -> !link.contains("/"))
                                .map(DOCS::resolve))
                .toList();
    }

    /** Every page below docs/ and those at the root. */
    static List<Path> all() {
        try (var below = Files.walk(DOCS);
                var root = Files.list(ROOT)) {
            return Stream.concat(below, root)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static MarkdownPage read(Path file) {
        return MarkdownPage.read(ROOT, file);
    }
}
