package dev.perigee.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import org.junit.jupiter.api.Test;

final class MarkdownPageTest {

    private static final MarkdownPage PAGE =
            MarkdownPage.of(
                    "a.md",
                    """
                    # What `perigee` is, and [who](b.md) asks

                    See [b](b.md#top), not `[c](c.md)`, and run `perigee status`.

                    ```sh
                    # a comment alone
                    one --option 'a # b'   # exits 2: as it should
                    two \\
                      three

                    four   # every change, until Ctrl-C
                    ```

                    ## Again
                    ```text
                    [no](link.md)
                    ```
                    ## Again
                    """
                            .lines()
                            .toList());

    @Test
    void hasCommandLines() {
        assertThat(PAGE.steps())
                .extracting(Step::line, step -> step.text().replaceAll(" +#.*", ""))
                .containsExactly(
                        tuple(7, "one --option 'a"), tuple(8, "two three"), tuple(11, "four"));
        assertThat(PAGE.steps()).extracting(Step::exitCode).containsExactly(2, 0, 0);
        assertThat(PAGE.steps()).extracting(Step::endless).containsExactly(false, false, true);
    }

    @Test
    void hasBlocksOfOtherLanguages() {
        assertThat(PAGE.blocks())
                .extracting(MarkdownPage.Block::language)
                .containsExactly("sh", "text");
    }

    @Test
    void hasLinksAndCodeOfItsTextOnly() {
        assertThat(PAGE.links()).containsExactly("b.md", "b.md#top");
        assertThat(PAGE.code()).isEqualTo(List.of("perigee", "[c](c.md)", "perigee status"));
    }

    @Test
    void hasAnchors() {
        assertThat(PAGE.anchors())
                .containsExactly("again", "again-1", "what-perigee-is-and-who-asks");
    }
}
