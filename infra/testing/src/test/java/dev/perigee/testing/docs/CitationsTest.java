package dev.perigee.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.testing.Checkout;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What the sources cite")
final class CitationsTest {

    @Test
    @DisplayName("is in the source tree")
    void areThere() throws IOException {
        assertThat(Citations.broken(Checkout.root()))
                .as("say what the page says, or cite one that everybody has")
                .isEmpty();
    }

    @Test
    @DisplayName("is found in comments, pages and scripts, and below docs/ anywhere")
    void areFound() {
        assertThat(Citations.of("A.java", " * <p>Source: plans/link.md, 3; notes.txt, \"Ends\"."))
                .isEqualTo(List.of("plans/link.md", "notes.txt"));
        assertThat(Citations.of("A.java", "read(\"a.md\", \"docs" + "/b.md\"); // ADR 0" + "099"))
                .isEqualTo(List.of("docs" + "/b.md", "0099"));
        assertThat(Citations.of("a.md", "See [b](../b.md#top) and `out.txt`."))
                .isEqualTo(List.of("../b.md"));
        assertThat(Citations.of("a.sh", "cp docs/{a,b}.md \"$1/c.md\" https://example.com/d.md"))
                .isEmpty();
    }
}
