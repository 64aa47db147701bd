package dev.perigee.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.testing.Checkout;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The house style")
final class HouseTest {

    @Test
    @DisplayName("has the words of the vocabulary")
    void words() throws IOException {
        assertThat(House.phrases(Checkout.root())).as("found -> say").isEmpty();
    }

    @Test
    @DisplayName("begins a class comment with what the class is")
    void comments() throws IOException {
        assertThat(House.comments(Checkout.root()))
                .as("a noun phrase, then thread, bounds and errors")
                .isEmpty();
    }

    @Test
    @DisplayName("gives a simple name to one class")
    void names() throws IOException {
        assertThat(House.sharedNames(Checkout.root()))
                .as(
                        "rename the less public class, and its test, by the field's noun for what it"
                                + " is: OwnerMailbox beside Mailbox, no number, no suffix Impl")
                .isEmpty();
    }

    @Test
    @DisplayName("finds names of several classes, in main and test sources of all modules")
    void findsSharedNames() {
        assertThat(
                        House.sharedNames(
                                List.of(
                                        "a/src/main/java/a/Box.java",
                                        "a/src/main/java/a/package-info.java",
                                        "a/src/main/java/a/b/package-info.java",
                                        "b/src/test/java/b/Box.java",
                                        "b/src/test/java/b/BoxTest.java",
                                        "b/src/test/resources/BoxTest.json")))
                .isEqualTo(List.of("Box: a/src/main/java/a/Box.java, b/src/test/java/b/Box.java"));
    }

    @Test
    @DisplayName("is found across the lines of comments, literals and pages")
    void areFound() {
        assertThat(House.phrases("/**\n * Longer than\n     * nothing.\n */")).hasSize(1);
        assertThat(House.phrases("log(\"Something\"\n    + \" went wrong\")")).hasSize(1);
        assertThat(House.phrases("a fail-over\nwith back-off, and a failover with backoff"))
                .hasSize(2);
        assertThat(House.comment("package a;\n\n/**\n * What it is.\n */\n@A\npublic class B {}"))
                .isEqualTo("What it is.");
        assertThat(House.comment("package a;\n\npublic class B {}")).isNull();
        assertThat(House.isNounPhrase("Which ones there are.")).isFalse();
        assertThat(House.isNounPhrase("Owner of a partition.")).isTrue();
    }
}
